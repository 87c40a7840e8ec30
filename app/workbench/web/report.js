// A report with its charts. Streamlit's own way of showing HTML takes every SVG out of it; here it is put up as it was
// written by reports/, which escapes all text from data.

export default function ({ data, parentElement }) {
  let root = parentElement.querySelector(".whole");
  if (!root) {
    root = document.createElement("div");
    root.className = "whole";
    parentElement.append(root);
  }
  if (root.written !== data.html) {
    root.innerHTML = data.html;
    root.written = data.html;
    for (const way of root.querySelectorAll("nav a"))
      way.onclick = (event) => {
        // In a part of a page the browser does not look for the place, and the app would take it for an address.
        event.preventDefault();
        root.querySelector(`section[id="${way.getAttribute("href").slice(1)}"]`).scrollIntoView();
      };
  }
}
