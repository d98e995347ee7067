import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts, singleText } from '../../http/form_texts.js'
import { DATE_ORDERS, type DateOrder } from '../../sheets/date_order.js'
import { presentZone } from '../../time/present_zone.js'
import type { ChosenColumns } from '../imports.js'

/** Before the number of a column in the names of the form's fields */
export const COLUMN = 'column.'

/** After the name of a reference that a column holds the titles of */
const TITLE = ':title'

/**
 * Reads the form. Names of fields are as they were sent: the engine knows which there are.
 *
 * @param count  of the file's columns
 */
export function readColumns(ctx: HttpContext, count: number): Required<ChosenColumns> {
  const texts = sentTexts(ctx)
  const columns: Record<number, string | null> = {}
  const by: Record<number, 'key' | 'title'> = {}
  for (let index = 0; index < count; index++) {
    const chosen = singleText(texts, COLUMN + index) ?? ''
    const isTitle = chosen.endsWith(TITLE)
    columns[index] = (isTitle ? chosen.slice(0, -TITLE.length) : chosen) || null
    if (columns[index] !== null) by[index] = isTitle ? 'title' : 'key'
  }
  const order = singleText(texts, 'date_order') as DateOrder
  return {
    columns,
    by,
    key: singleText(texts, 'key') || null,
    dateOrder: DATE_ORDERS.includes(order) ? order : null,
    zone: singleText(texts, 'zone') || presentZone(),
  }
}

/**
 * Value of the choice of a field, as `readColumns` reads it.
 */
export function choiceOf(name: string, by: 'key' | 'title'): string {
  return by === 'title' ? name + TITLE : name
}
