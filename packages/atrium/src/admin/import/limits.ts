/** Maximum bytes of a file that is imported in the site */
export const MOST_BYTES = 100 * 1024 * 1024

/** Files that are kept for a person. With one more, the oldest is removed that no job is at */
export const MOST_KEPT = 10
