// Where the images and clips of items come from, and those of the tasks to come, fetched before they are needed.

/** @import { Task } from "../types" */

const KEPT = 24;
/** @type {Map<string, HTMLImageElement>} */
const fetched = new Map(); // images of the next items, kept so that the browser keeps them decoded

/**
 * @param {string} id
 * @param {"display" | "thumb" | "original" | "frames"} size
 */
export const mediaUrl = (id, size) => `/media/${encodeURIComponent(id)}/${size}`;

/**
 * Whether an image has been fetched before.
 * @param {string} id
 */
export const isFetched = (id) => Boolean(fetched.get(id)?.complete);

/** @param {string[]} ids */
export function prefetch(ids) {
  for (const id of [...fetched.keys()]) if (!ids.includes(id) && fetched.size > KEPT) fetched.delete(id);
  for (const id of ids) {
    if (fetched.has(id)) continue;
    const image = new Image();
    fetched.set(id, image);
    image.src = mediaUrl(id, "display");
    image.decode().catch(() => {});
  }
}

/** The media of the tasks to come. */
export class Prefetch {
  constructor() {
    /** @type {string[]} */
    this.ids = [];
  }

  /**
   * @param {Task} task the task that is opened now
   * @param {string[] | null} told null: as was told before
   */
  fetch(task, told) {
    const mine = task.assets.filter((asset) => !asset.missing).map((asset) => asset.id);
    if (told) this.ids = told;
    else if (!mine.every((id) => this.ids.includes(id))) this.ids = []; // the task came otherwise
    this.ids = this.ids.filter((id) => !mine.includes(id));
    prefetch(this.ids);
  }
}
