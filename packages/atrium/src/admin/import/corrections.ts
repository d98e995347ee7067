import { ImportRefused } from './import_access.js'
import type AdminImport from '../models/admin_import.js'
import type { Corrections } from '../sheets/file_shape.js'

/** Maximum number of corrected cells of an import, because each of them is a field of the page */
export const CORRECTIONS_MAX = 500

/** Maximum number of characters of a corrected cell */
export const CORRECTION_LENGTH_MAX = 1000

/** A cell that the page of the preview offers for correction. */
export interface CorrectableCell {
  line: number
  /** Position of the column */
  column: number
  text: string
}

/** Returns the name of the input of a cell. */
export function correctionName({ column, line }: Pick<CorrectableCell, 'column' | 'line'>): string {
  return `cell.${line}.${column}`
}

/** Returns the corrected cells of the columns that are imported, except those that are still invalid. */
export function correctedCells({ mapping, shape, dryRun }: AdminImport): CorrectableCell[] {
  const invalid = new Set(invalidCells(dryRun).map(correctionName))
  return cellsOf(shape.corrections).filter(
    (cell) => mapping.columns[cell.column] && !invalid.has(correctionName(cell))
  )
}

function invalidCells(dryRun: AdminImport['dryRun']): CorrectableCell[] {
  return (dryRun?.faults ?? []).flatMap(({ cell, column, line }) =>
    cell === undefined || column === undefined ? [] : [{ line, column, text: cell }]
  )
}

function cellsOf(corrections: Corrections = {}): CorrectableCell[] {
  return Object.entries(corrections).flatMap(([line, texts]) =>
    Object.entries(texts).map(([column, text]) => ({
      line: Number(line),
      column: Number(column),
      text,
    }))
  )
}

/**
 * Returns the corrections of a form: the texts of offered cells that differ from the text that the page has shown.
 *
 * @param sent  submitted texts by name of the input
 */
export function changedCells(
  one: AdminImport,
  sent: ReadonlyMap<string, readonly string[]>
): CorrectableCell[] {
  return [...invalidCells(one.dryRun), ...correctedCells(one)].flatMap((cell) => {
    const text = sent.get(correctionName(cell))?.at(0)
    const isChanged = text !== undefined && lines(text) !== asSubmitted(cell.text)
    return isChanged ? [{ ...cell, text: lines(text) }] : []
  })
}

/** Returns a text as a browser submits it after showing it. */
function asSubmitted(text: string): string {
  return lines(text).replaceAll('\0', '\ufffd').toWellFormed()
}

function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/**
 * Returns the corrections of an import with further ones.
 *
 * @throws ImportRefused  for too long a text, and for too many corrections
 */
export function withCorrections(
  { shape }: AdminImport,
  changed: readonly CorrectableCell[]
): Corrections | undefined {
  const corrections: Record<number, Record<number, string>> = structuredClone({
    ...shape.corrections,
  })
  for (const { column, line, text } of changed) {
    if ([...text].length > CORRECTION_LENGTH_MAX) {
      const data = { line, most: CORRECTION_LENGTH_MAX }
      throw new ImportRefused('import.refused.longCorrection', data)
    }
    corrections[line] = { ...corrections[line], [column]: text }
  }
  const count = cellsOf(corrections).length
  if (count > CORRECTIONS_MAX) {
    throw new ImportRefused('import.refused.manyCorrections', { most: CORRECTIONS_MAX })
  }
  return count > 0 ? corrections : undefined
}
