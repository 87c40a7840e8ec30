// A share in percent, typed as a number.

import { NumberBox } from "./number.js";

class Percent extends NumberBox {
  constructor(criterion, seat) {
    super({ ...criterion, min: 0, max: 100, step: null, unit: "%" }, seat);
  }
}

export { Percent as control };
