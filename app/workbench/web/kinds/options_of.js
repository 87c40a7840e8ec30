// Several entries of one of the item's lists.

import { PickedSeveral } from "./picked_field.js";

export const field = new PickedSeveral();
