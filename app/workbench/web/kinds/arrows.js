// Arrows on the item's image: written as JSON, and seen on the image while they are.

import { paintedOf } from "../marks/tones.js";
import { Json } from "./typed_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */

class Arrows extends Json {
  drawn = true;

  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    super.body(form, part);
    const { field } = part;
    const { media } = form.host;
    const told = () => this.submitted(field, form.values[field.name]);
    media?.drawers.add({
      root: part.body,
      covers: ({ asset }) => asset.kind === "image" && !asset.missing && asset.role === (field.role || media.firstRole),
      entriesOf: (frame) =>
        paintedOf(told(), [], field.drawing?.tone ?? "").filter((entry) => (entry.image ?? 1) === frame.number),
    });
    part.boxes[0].addEventListener("input", () => media?.repaint());
  }
}

export const field = new Arrows();
