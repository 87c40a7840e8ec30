// A number with decimals, kept as it is typed.

import { el } from "../dom.js";
import { t } from "../words.js";
import { Typed } from "./typed_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Field } from "../types" */

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)$/;
const SEPARATED = /^[+-]?\d[\d.,'’\s]*$/;

class Decimal extends Typed {
  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    super.body(form, part);
    const said = bounds(part.field);
    if (said) part.body.append(el("span", { class: "quiet" }, said));
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  told(field, value) {
    return field.unit ? `${value} ${field.unit}` : value;
  }

  /**
   * @param {Field} _field
   * @param {unknown} value
   */
  submitted(_field, value) {
    return typeof value === "string" ? value.trim() : value;
  }

  // The server computes exactly; steps are looked at here but for what a machine's fractions lose.
  /** @param {Asked} asked */
  problem({ field, value }) {
    const text = String(value).trim();
    const { min, max, step } = field;
    if (!PLAIN.test(text)) {
      const why = SEPARATED.test(text) ? t("Use a decimal point, without thousands separators") : t("Enter a number");
      return t("{why}, such as 1200.5.", { why });
    }
    const number = Number(text);
    if (min !== null && number < min) return t("At least {min}.", { min });
    if (max !== null && number > max) return t("At most {max}.", { max });
    const steps = step ? (number - (min ?? 0)) / step : 0;
    return Math.abs(steps - Math.round(steps)) > 1e-6 ? t("Use steps of {step}.", { step }) : null;
  }
}

/** @param {Field} field */
function bounds({ min, max, step, unit }) {
  const range =
    min !== null && max !== null
      ? t("{min} to {max}", { min, max })
      : min !== null
        ? t("from {min}", { min })
        : max !== null && t("up to {max}", { max });
  return [unit, range, step && t("in steps of {step}", { step })].filter(Boolean).join(", ");
}

export const field = new Decimal({ rows: 1 });
