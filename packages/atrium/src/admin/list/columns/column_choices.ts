import type { ModelView } from '../../views/model_view.js'
import type { ListColumn } from '../../views/list_column.js'

/** A column that a list can show: the name of a response field, or a class of a custom column. */
export type ColumnChoice = string | (new () => ListColumn)

interface Choices {
  /** By name, with the default columns first, in order */
  all: ReadonlyMap<string, ColumnChoice>
  /** Names of the default columns */
  usual: readonly string[]
}

const CHOICES = new WeakMap<ModelView, Choices>()

/** Returns the columns that a list can show and the viewer can see. */
export function columnChoices(view: ModelView): Choices {
  let choices = CHOICES.get(view)
  if (!choices) CHOICES.set(view, (choices = find(view)))
  return choices
}

/**
 * Returns columns in the order of the given names; unknown names are ignored.
 *
 * @param names  column names; null, or no known name, for the default columns
 */
export function chosenColumns(view: ModelView, names: readonly string[] | null): ColumnChoice[] {
  const { all, usual } = columnChoices(view)
  const known = [...new Set(names)].filter((name) => all.has(name))
  return (known.length > 0 ? known : usual).map((name) => all.get(name)!)
}

/** Returns the names of the columns that `chosenColumns` returns. */
export function chosenNames(view: ModelView, names: readonly string[] | null): string[] {
  return chosenColumns(view, names).map(nameOf)
}

function nameOf(choice: ColumnChoice): string {
  return typeof choice === 'string' ? choice : new choice().name
}

/** Returns the label of a column. */
export function labelOf(view: ModelView, name: string): string {
  const choice = columnChoices(view).all.get(name)!
  return typeof choice === 'string' ? view.labelOf(name) : new choice().label
}

/**
 * Parses the parameter `columns`.
 *
 * @param texts  values of the parameter, each a column name or a comma-separated list
 * @returns distinct names of known columns, null if there are none; and the unknown names
 */
export function readColumns(
  view: ModelView,
  texts: readonly string[]
): { columns: readonly string[] | null; unknown: readonly string[] } {
  const { all } = columnChoices(view)
  /* A value is first looked up as a whole, as the name of a custom column may contain a comma. */
  const names = new Set(texts.flatMap((text) => (all.has(text) ? [text] : text.split(','))))
  names.delete('')
  const columns = [...names].filter((name) => all.has(name))
  const unknown = [...names].filter((name) => !all.has(name))
  return { columns: columns.length > 0 ? columns : null, unknown }
}

/** Returns the values of the parameter `columns` for column names. */
export function columnsWritten(names: readonly string[]): string[] {
  return names.some((name) => name.includes(',')) ? [...names] : [names.join()]
}

function find({ resource, options }: ModelView): Choices {
  const fields = [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()]
  const shown = fields.filter((name) => name !== options.orderBy)
  const usual = [...(options.listColumns ?? shown)].map((one): [string, ColumnChoice] => [
    nameOf(one),
    one,
  ])
  const all = new Map(usual)
  for (const name of fields) if (!all.has(name)) all.set(name, name)
  return { all, usual: usual.map(([name]) => name) }
}
