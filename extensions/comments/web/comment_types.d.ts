// Threads of comments, as the server sends them, and what a browser sends.

export interface Comment {
  id: string;
  by: string;
  at: string;
  text: string;
  mine: boolean;
  name: string;
  reply_to: string | null;
  for_me: boolean;
  unread: boolean;
  held: boolean;
}

export interface ThreadPart {
  project: string;
  item: string;
  title: string;
  comments: Comment[];
  people: { login: string; name: string }[];
  open: boolean;
  may_free: boolean;
  whole: boolean;
  closed: boolean;
}

/** A comment being sent, under its own key. */
export interface CommentAttempt {
  task?: string;
  project?: string;
  item?: string;
  key: string;
  text: string;
  early: boolean;
  reply_to: string | null;
}

/** A page of threads, by extensions/comments/drawn_threads.py. */
export interface ThreadsPage {
  csrf: string;
  person: number;
  threads: (ThreadPart & { dimension_title: string })[];
  history: boolean;
  single: boolean;
}
