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

/**
 * Whether a file did not load because the server has no access to the storage of its images and clips.
 * @param {string} url
 */
export async function isStorageAway(url) {
  const reply = await fetch(url, { method: "HEAD", credentials: "same-origin" }).catch(() => null);
  return reply?.status === 503;
}

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

/** @param {Task} task */
const ownMedia = (task) => task.assets.filter((asset) => !asset.missing).map((asset) => asset.id);

/**
 * @param {string[]} ids
 * @param {Task} task
 */
const but = (ids, task) => {
  const mine = ownMedia(task);
  return ids.filter((id) => !mine.includes(id));
};

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
    this.ids = told ? but(told, task) : this.after(task);
    prefetch(this.ids);
  }

  /**
   * What is left of them once a task is opened.
   * @param {Task} task
   */
  after(task) {
    const came = ownMedia(task).every((id) => this.ids.includes(id));
    return came ? but(this.ids, task) : []; // otherwise the task came otherwise
  }
}
