import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Item } from '#crud'
import type { Site } from '../views/site.js'
import { chosenColumns, type ColumnChoice } from '../list/columns/column_choices.js'
import { RelatedItems } from '../list/columns/related_items.js'
import type { ListColumn } from '../views/list_column.js'
import { choiceOf } from '../views/choice_options.js'
import type { ModelView } from '../views/model_view.js'
import { shownOf } from '../permissions/personal_view.js'
import { followed, referencesOf, titlesOf, type Reference } from '../relations/references.js'
import { isRelated, relatedColumnOf, type RelatedColumn } from '../views/related_columns.js'
import type { Cell } from '../sheets/file_shape.js'
import { presentZone, UTC } from '../time/time_zone.js'

/** Suffix of the name of a column with the titles of referenced records */
const TITLE = '__title'

/** Format of times in the API, without an offset */
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/

type Values = Cell[] | Promise<Cell[]>

/**
 * A column of an export.
 */
export interface ExportColumn {
  /** API name of the field, or name of the list column */
  name: string
  label: string
  /** True if the column's texts are numerals, such as integers of 19 digits */
  isNumeric: boolean
  /** True if the column contains JSON, in which a text is quoted */
  isJson: boolean
  /**
   * Returns the values of the records if they cannot be read from the record's field alone; null: the value of the
   * field
   */
  values: ((items: Item[], ctx: HttpContext, client: QueryClientContract) => Values) | null
  /** Returns the label of a choice; undefined for any other value */
  labelOf?: (value: unknown) => string | undefined
  /** Of a column of titles: API name of the reference */
  titleOf?: string
  /** API names of the fields to read */
  reads: readonly string[]
  /** True if the value is computed from the whole record */
  isOwn: boolean
}

/** Returns the names of all fields of responses, in their order. */
export function fieldsOf({ resource }: ModelView): string[] {
  return [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()]
}

/**
 * Returns the columns of an export.
 *
 * @param view    view with the permissions of the user's roles, loaded
 * @param names   columns that the list shows; null: the default columns
 * @param titles  true to add a column with the titles after each reference whose records the user is allowed to see
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
  const chosen = chosenColumns(view, names)
  const related = relatedColumns(view, chosen)
  for (const one of chosen) {
    if (typeof one !== 'string') {
      columns.push(ownColumn(view, new one()))
      continue
    }
    if (related.has(one)) columns.push(related.get(one)!)
    else columns.push(fieldColumn(view, one, one))
    const reference = references.find(({ column }) => column.apiName === one)
    if (reference && (await followed(ctx, reference))) {
      columns.push(titleColumn(view, one, reference))
    }
  }
  return columns
}

/**
 * Returns the columns of related records by name. All of these columns are read together, with one query per relation.
 */
function relatedColumns(
  view: ModelView,
  chosen: readonly ColumnChoice[]
): ReadonlyMap<string, ExportColumn> {
  const all = chosen
    .filter(isRelated)
    .map((name) => relatedColumnOf(view, name) as RelatedColumn<ModelView>)
  const read = new WeakMap<Item[], RelatedItems>()
  const columns = all.map((related): ExportColumn => {
    const { column, name, steps, view: other } = related
    const own = fieldColumn(other, column.apiName, name)
    return {
      ...own,
      label: view.labelOf(name),
      reads: [steps[0].link.apiName],
      values: async (items, ctx, client) => {
        let rows = read.get(items)
        if (!rows) read.set(items, (rows = new RelatedItems(ctx, all, items, client)))
        const found = await rows.of(related)
        const values = await own.values?.(found, ctx, client)
        return values ?? found.map((item) => (item[column.apiName] ?? null) as Cell)
      },
    }
  })
  return new Map(columns.map((one) => [one.name, one]))
}

/**
 * Returns the export column of a field.
 *
 * @param as  name of the column in the export
 */
function fieldColumn(view: ModelView, name: string, as: string): ExportColumn {
  const column = view.resource.fields.find(({ apiName }) => apiName === name)
  const isNumber = column?.kind === 'integer' || column?.kind === 'number'
  return {
    name: as,
    label: view.labelOf(name),
    reads: [name],
    ...(view.fieldOptions(name).choices && {
      labelOf: (value: unknown) => choiceOf(view, name, value)?.label,
    }),
    isNumeric: isNumber && !column.serialize,
    isJson: column?.kind === 'json' && !column.serialize,
    values: column?.kind === 'datetime' && presentZone() !== UTC ? markedMoments(name) : null,
    isOwn: false,
  }
}

/**
 * Returns times marked as UTC, because an import by the same user reads times without a zone in the user's time zone.
 */
function markedMoments(name: string): ExportColumn['values'] {
  return (items) =>
    items.map((item) => {
      const cell = item[name] as Cell
      return typeof cell === 'string' && MOMENT.test(cell) ? `${cell}Z` : cell
    })
}

/** Returns the export column of a list column, with the text of each cell. */
function ownColumn({ resource }: ModelView, own: ListColumn): ExportColumn {
  return {
    name: own.name,
    label: own.label,
    isNumeric: false,
    isJson: false,
    reads: [],
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

/** Returns the columns of an export with labels, where titles of references replace their keys. */
export function readableColumns(columns: readonly ExportColumn[]): readonly ExportColumn[] {
  const titled = new Set(columns.map(({ titleOf }) => titleOf))
  return columns.filter(({ name }) => !titled.has(name))
}

function titleColumn(view: ModelView, name: string, reference: Reference): ExportColumn {
  return {
    name: name + TITLE,
    titleOf: name,
    label: view.labelOf(name),
    isNumeric: false,
    isJson: false,
    reads: [name],
    isOwn: false,
    values: async (items, ctx, client) => {
      const values = items.map((item) => item[name])
      /* Titles are read from the same snapshot if one transaction can read both models. */
      const isTogether = reference.view.client().connectionName === view.client().connectionName
      const titles = await titlesOf(ctx, reference, values, isTogether ? client : undefined)
      return values.map((value) => titles.get(String(value)) ?? null)
    },
  }
}
