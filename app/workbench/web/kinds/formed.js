// A text whose form another field names: it is typed, or picked from what the form offers.

import { listed, PickedOne } from "./picked_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Field } from "../types" */

/** @param {string} text */
const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();

/**
 * The places of the entries that a text names, by their text or their letter, with commas between them. Entries may have
 * commas of their own: the longest that fits is taken. What is none of them is left out.
 * @param {string} text
 * @param {string[]} entries
 */
export function placesOf(text, entries) {
  /** @type {Map<string, number>} */
  const named = new Map();
  entries.forEach((_, place) => {
    named.set(String.fromCharCode(97 + place), place);
  });
  [...entries].reverse().forEach((entry, back) => {
    named.set(plain(entry), entries.length - 1 - back);
  });
  const parts = text.split(",");
  /** @type {number[]} */
  const found = [];
  for (let at = 0; at < parts.length; at += 1) {
    for (let end = parts.length; end > at; end -= 1) {
      const place = named.get(plain(parts.slice(at, end).join(",")));
      if (place === undefined) continue;
      found.push(place);
      at = end - 1;
      break;
    }
  }
  return found;
}

class PickedText extends PickedOne {
  role = "group";
  roleOfEach = "checkbox";

  /**
   * @param {FieldForm} form
   * @param {Field} field
   */
  how(form, field) {
    return field.formed?.forms[String(form.values[field.formed.by])] ?? { words: [], picks: "" };
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @returns {string[]}
   */
  entries(form, field) {
    const { words, picks } = this.how(form, field);
    if (!picks || words.length) return words;
    const listed = form.listOf(field.formed?.list ?? null);
    return listed.map((entry) => String(entry).trim()).filter(Boolean);
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @returns {string[]}
   */
  chosen(form, field) {
    const entries = this.entries(form, field);
    return placesOf(String(form.values[field.name] ?? ""), entries).map((place) => entries[place]);
  }

  /**
   * @param {unknown} value
   * @param {unknown} entry
   */
  isChosen(value, entry) {
    return listed(value).includes(entry);
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @param {unknown} entry
   */
  picked(form, field, entry) {
    const { picks } = this.how(form, field);
    if (picks === "one") return entry;
    const before = this.chosen(form, field);
    const without = before.filter((other) => other !== entry);
    const list = without.length < before.length ? without : [...before, String(entry)];
    const kept = picks === "order" ? list : this.entries(form, field).filter((other) => list.includes(other));
    return kept.join(", ");
  }
}

/** Of every text that has forms. */
export const pickedText = new PickedText();
