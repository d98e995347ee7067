import type { LucidModel, LucidRow, ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import { createFromRow, setStoredValue } from '#upstream/lucid_record_steps'
import { hasOwnConsume } from './column_functions.js'
import { noteExactRow } from './exact_attributes.js'
import { asConnectionReturns } from '../database/connection_forms.js'
import { quickMoment } from '../values/datetime.js'

type Row = Record<string, unknown>

/** The columns of a model that Lucid reads as Luxon's `DateTime`. */
interface Moments {
  /** Names of the columns with a time */
  quick: string[]
  all: Array<{ attribute: string; name: string }>
}

const MOMENTS = new WeakMap<LucidModel, Moments>()

/**
 * Returns the model instance of a row. A date or time that Luxon can't parse remains the stored text: Lucid treats an
 * invalid `DateTime` as a change, which it refuses to store. On an ordinary Lucid connection the model gets the values
 * that the connection returns.
 *
 * @param row  row by column name; can be modified
 */
export function recordFromRow(
  model: LucidModel,
  row: Row,
  options?: ModelAdapterOptions
): LucidRow {
  const usual = asConnectionReturns(row)
  if (usual) {
    keepUnreadMoments(model, usual, row)
    const record = recordFromRow(model, usual, options)
    noteExactRow(record, row)
    return record
  }
  const texts = momentsOf(model).all.filter(({ name }) => typeof row[name] === 'string')
  const stored = texts.map(({ name }) => row[name] as string)
  const record = createFromRow(model, withQuickMoments(model, row), options)
  for (const [index, { attribute }] of texts.entries()) {
    const value = record.$attributes[attribute]
    if (!DateTime.isDateTime(value) || value.isValid) continue
    setStoredValue(record, attribute, stored[index])
  }
  return record
}

/**
 * Returns the row with its datetimes in a form that Lucid converts to Luxon's `DateTime` faster than text.
 *
 * @param row  row by column name; is modified
 */
export function withQuickMoments(model: LucidModel, row: Row): Row {
  for (const name of momentsOf(model).quick) {
    if (typeof row[name] === 'string') row[name] = quickMoment(row[name])
  }
  return row
}

/**
 * Restores the exact values of dates and times for which the driver does not return a valid `Date`.
 *
 * @param usual  row as the connection returns it; is modified
 */
export function keepUnreadMoments(model: LucidModel, usual: Row, row: Row): void {
  for (const { name } of momentsOf(model).all) {
    const value = usual[name]
    const isRead =
      value instanceof Date ? !Number.isNaN(value.getTime()) : typeof value === 'string'
    if (!isRead) usual[name] = row[name]
  }
}

function momentsOf(model: LucidModel): Moments {
  let moments = MOMENTS.get(model)
  if (!moments) {
    const columns = [...model.$columnsDefinitions].filter(([, definition]) => {
      return (
        ['date', 'datetime'].includes(definition.meta?.type as string) && !hasOwnConsume(definition)
      )
    })
    moments = {
      quick: columns
        .filter(([, { meta }]) => meta?.type === 'datetime')
        .map(([, { columnName }]) => columnName),
      all: columns.map(([attribute, { columnName }]) => ({ attribute, name: columnName })),
    }
    MOMENTS.set(model, moments)
  }
  return moments
}
