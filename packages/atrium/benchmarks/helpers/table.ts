/** Formats rows in columns: the first left-aligned, the others, which are numbers, right-aligned. */
export function tableOf(head: string[], rows: string[][]): string {
  const all = [head, ...rows]
  const widths = head.map((_, index) => Math.max(...all.map((row) => row[index].length)))
  const line = (row: string[]) =>
    row
      .map((cell, index) => (index < 1 ? cell.padEnd(widths[index]) : cell.padStart(widths[index])))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join(
    '\n'
  )
}
