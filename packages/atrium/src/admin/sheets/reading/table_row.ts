import type { Cell, FileRow } from '../file_shape.js'

/**
 * A record of CSV or a row of a sheet as one of a table with so many columns; null if nothing is in it.
 *
 * @param isPadded  true if cells at the end may be missing, as in a sheet
 */
export function tableRow(
  line: number,
  cells: Cell[],
  columns: number,
  isPadded: boolean
): FileRow | null {
  if (cells.every((cell) => cell === null)) return null
  const found = cells.length
  if (found > columns && cells.slice(columns).some((cell) => cell !== null)) {
    return { line, cells: cells.slice(0, columns), fault: faultOf('longRow', found, columns) }
  }
  if (found < columns) {
    const whole = [...cells, ...Array.from({ length: columns - found }, () => null)]
    return isPadded
      ? { line, cells: whole }
      : { line, cells: whole, fault: faultOf('shortRow', found, columns) }
  }
  return { line, cells: cells.slice(0, columns) }
}

function faultOf(name: string, found: number, expected: number) {
  return { key: `sheets.fault.${name}`, data: { found, expected } }
}

/**
 * An object as a row of a table; a name that is not a column is an error.
 */
export function objectRow(
  line: number,
  object: Readonly<Record<string, unknown>>,
  columns: readonly string[]
): FileRow {
  const cells = columns.map((name) => (Object.hasOwn(object, name) ? object[name] : undefined))
  const isKnown = cells.filter((cell) => cell !== undefined).length === Object.keys(object).length
  if (isKnown) return { line, cells: cells as Cell[] }
  const name = Object.keys(object).find((one) => !columns.includes(one))!
  return {
    line,
    cells: cells as Cell[],
    fault: { key: 'sheets.fault.unknownName', data: { name } },
  }
}
