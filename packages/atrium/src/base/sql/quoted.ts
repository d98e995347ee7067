/** Returns a name quoted for a statement; any characters are safe. (MySQL uses other quotes.) */
export function quoted(name: string): string {
  /* Few names contain a quote, and this check takes a tenth of the time. */
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}
