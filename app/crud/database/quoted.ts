/**
 * A name as a statement has it, whatever stands in it (MySQL alone writes names otherwise).
 */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
