import { plainText, type PlainText } from '../../text/plain_text.js'
import type { Cell } from '../../sheets/file_shape.js'

/* Characters of a value that fit next to the others */
const LONGEST = 40

/**
 * A value of a file as pages show it; null for an empty cell.
 */
export function shownCell(cell: Cell | undefined): PlainText | null {
  if (cell === null || cell === undefined) return null
  return plainText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell), LONGEST)
}
