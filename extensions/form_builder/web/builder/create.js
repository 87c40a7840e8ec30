// The dialog that asks for title and ID, and creates the project.

import { el } from "../dom.js";
import { Gone, post, Refused } from "../http.js";

const PAUSE_MS = 250;

/**
 * @param {HTMLElement} root
 * @param {() => string} csrf
 * @param {string} proposed the title in the YAML
 * @param {() => { draft: string, text: string, guideline: string }} form
 * @param {() => void} done
 */
export function askCreate(root, csrf, proposed, form, done) {
  const title = el("input", { type: "text", maxlength: "200", required: true });
  title.value = proposed;
  const name = el("input", { type: "text", maxlength: "64", spellcheck: "false" });
  const problem = el("p", { class: "problem", role: "alert" });
  const create = el("button", { type: "submit", class: "primary" }, "Create project");
  /** @type {HTMLDialogElement} */
  const dialog = el(
    "dialog",
    { "aria-label": "Create project" },
    el(
      "form",
      { method: "dialog", on: { submit: (event) => press(event) } },
      el("h2", {}, "Create project"),
      el("label", { class: "box" }, el("span", {}, "Title"), title),
      el(
        "label",
        { class: "box" },
        el("span", {}, "Project ID"),
        name,
        el("small", {}, "Addresses and files use the ID. You cannot change it later."),
      ),
      problem,
      el(
        "div",
        { class: "tools" },
        el("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"),
        create,
      ),
    ),
  );
  let timer = 0;
  let own = false;
  const propose = async () => {
    const reply = await post("/api/form_name", csrf(), { title: title.value });
    if (!own) name.value = reply.name;
  };
  title.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(propose, PAUSE_MS);
  });
  name.addEventListener("input", () => {
    own = Boolean(name.value);
  });
  dialog.addEventListener("close", () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
  title.focus();
  title.select();
  propose();

  /** @param {Event} event */
  async function press(event) {
    event.preventDefault();
    if (create.disabled) return; // a double press makes one project
    create.disabled = true;
    problem.textContent = "";
    try {
      const made = await post("/api/form_create", csrf(), { ...form(), title: title.value, name: name.value });
      done();
      location.assign(made.href);
    } catch (error) {
      create.disabled = false;
      if (error instanceof Refused)
        problem.textContent = error.problems.map(({ message }) => message).join(" ") || error.message;
      else if (error instanceof Gone) problem.textContent = "The server did not answer. Press “Create project” again.";
      else throw error;
    }
  }
}
