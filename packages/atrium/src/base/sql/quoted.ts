/** A name quoted for a statement; any characters are safe (MySQL quotes names otherwise). */
export function quoted(name: string): string {
  /* Few names have a quote, and this check takes a tenth of the time. */
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}
