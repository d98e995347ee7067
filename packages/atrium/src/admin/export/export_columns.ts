import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Item } from '#crud'
import type { Site } from '../views/site.js'
import { chosenColumns } from '../list/columns/column_choices.js'
import type { ListColumn } from '../views/list_column.js'
import type { ModelView } from '../views/model_view.js'
import { shownOf } from '../permissions/personal_view.js'
import { followed, referencesOf, titlesOf, type Reference } from '../relations/references.js'
import type { Cell } from '../sheets/file_shape.js'
import { presentZone, UTC } from '../time/time_zone.js'

/** Ends the name of a column with what references are called */
const TITLE = '__title'

/** As the API writes moments, without an offset */
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/

type Values = Cell[] | Promise<Cell[]>

/**
 * A column of an export. [D2]
 */
export interface ExportColumn {
  /** API name; of a column of one's own, its name */
  name: string
  label: string
  /** True if its texts are numerals, such as integers of 19 digits */
  isNumeric: boolean
  /** True if it holds JSON, of which a text is one in quotes */
  isJson: boolean
  /** Values of the records that need more than the record's field; null: the field itself */
  values: ((items: Item[], ctx: HttpContext, client: QueryClientContract) => Values) | null
  /** True if it is computed from the whole record */
  isOwn: boolean
}

/**
 * Names of all fields that responses hold, in their order.
 */
export function fieldsOf({ resource }: ModelView): string[] {
  return [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()]
}

/**
 * The columns of an export.
 *
 * @param view    as the roles of the user leave it, loaded
 * @param names   those that the list shows; null: its default ones
 * @param titles  true for what references are called, after each, where the user may see that
 */
export async function exportColumns(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  names: readonly string[] | null,
  titles: boolean
): Promise<ExportColumn[]> {
  const references = titles ? referencesOf(site, view) : []
  const columns: ExportColumn[] = []
  for (const one of chosenColumns(view, names)) {
    if (typeof one !== 'string') {
      columns.push(ownColumn(view, new one()))
      continue
    }
    columns.push(fieldColumn(view, one))
    const reference = references.find(({ column }) => column.apiName === one)
    if (reference && (await followed(ctx, reference))) {
      columns.push(titleColumn(site, view, one, reference))
    }
  }
  return columns
}

function fieldColumn(view: ModelView, name: string): ExportColumn {
  const column = view.resource.fields.find(({ apiName }) => apiName === name)
  const isNumber = column?.kind === 'integer' || column?.kind === 'number'
  return {
    name,
    label: view.labelOf(name),
    isNumeric: isNumber && !column.serialize,
    isJson: column?.kind === 'json' && !column.serialize,
    values: column?.kind === 'datetime' && presentZone() !== UTC ? markedMoments(name) : null,
    isOwn: false,
  }
}

/**
 * Moments that say that they are in UTC: an import by the same person reads those that say nothing in their time zone.
 */
function markedMoments(name: string): ExportColumn['values'] {
  return (items) =>
    items.map((item) => {
      const cell = item[name] as Cell
      return typeof cell === 'string' && MOMENT.test(cell) ? `${cell}Z` : cell
    })
}

/** The text of each cell. */
function ownColumn({ resource }: ModelView, own: ListColumn): ExportColumn {
  return {
    name: own.name,
    label: own.label,
    isNumeric: false,
    isJson: false,
    isOwn: true,
    values: async (items, ctx) => {
      const cells = await Promise.all(
        items.map((item) => shownOf(resource, item, (one) => own.value(one, ctx)))
      )
      return cells.map((cell) =>
        cell === undefined || cell === null ? null : typeof cell === 'string' ? cell : cell.text
      )
    },
  }
}

function titleColumn(
  site: Site,
  view: ModelView,
  name: string,
  reference: Reference
): ExportColumn {
  return {
    name: name + TITLE,
    label: site.text('export.titleOf', { label: view.labelOf(name) }),
    isNumeric: false,
    isJson: false,
    isOwn: false,
    values: async (items, ctx, client) => {
      const values = items.map((item) => item[name])
      /* Of the same moment, where one transaction can read both. */
      const isTogether = reference.view.client().connectionName === view.client().connectionName
      const titles = await titlesOf(ctx, reference, values, isTogether ? client : undefined)
      return values.map((value) => titles.get(String(value)) ?? null)
    },
  }
}
