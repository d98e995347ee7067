import type { ModelView } from '../../views/model_view.js'
import type { ListColumn } from '../../views/list_column.js'

/**
 * A column that a list can show: a field of the responses by its name, or a class of the view's own.
 */
export type ColumnChoice = string | (new () => ListColumn)

interface Choices {
  /** By name: first those that the list shows by default, in their order */
  all: ReadonlyMap<string, ColumnChoice>
  /** Names of those that the list shows by default */
  usual: readonly string[]
}

const CHOICES = new WeakMap<ModelView, Choices>()

/**
 * The columns that a list can show, of those that the viewer may see. [L6]
 */
export function columnChoices(view: ModelView): Choices {
  let choices = CHOICES.get(view)
  if (!choices) CHOICES.set(view, (choices = find(view)))
  return choices
}

/**
 * Columns of a list in the order of their names; unknown names are left out.
 *
 * @param names  null, or without one that is known: the default columns
 */
export function chosenColumns(view: ModelView, names: readonly string[] | null): ColumnChoice[] {
  const { all, usual } = columnChoices(view)
  const known = [...new Set(names)].filter((name) => all.has(name))
  return (known.length > 0 ? known : usual).map((name) => all.get(name)!)
}

/** Their names. */
export function chosenNames(view: ModelView, names: readonly string[] | null): string[] {
  return chosenColumns(view, names).map(nameOf)
}

function nameOf(choice: ColumnChoice): string {
  return typeof choice === 'string' ? choice : new choice().name
}

/** The label of the column with this name. */
export function labelOf(view: ModelView, name: string): string {
  const choice = columnChoices(view).all.get(name)!
  return typeof choice === 'string' ? view.labelOf(name) : new choice().label
}

/**
 * Reads the parameter `columns`.
 *
 * @param texts  its values, each a name or several with commas between
 * @returns the names of columns, each once; null if the parameter names none
 */
export function readColumns(
  view: ModelView,
  texts: readonly string[]
): { columns: readonly string[] | null; unknown: readonly string[] } {
  const { all } = columnChoices(view)
  /* A class may have a comma in its name. */
  const names = new Set(texts.flatMap((text) => (all.has(text) ? [text] : text.split(','))))
  names.delete('')
  const columns = [...names].filter((name) => all.has(name))
  const unknown = [...names].filter((name) => !all.has(name))
  return { columns: columns.length > 0 ? columns : null, unknown }
}

/**
 * Values of the parameter `columns` for these names.
 */
export function columnsWritten(names: readonly string[]): string[] {
  return names.some((name) => name.includes(',')) ? [...names] : [names.join()]
}

function find({ resource, options }: ModelView): Choices {
  const fields = [...resource.fields.map(({ apiName }) => apiName), ...resource.computed.values()]
  const usual = [...(options.listColumns ?? fields)].map((one): [string, ColumnChoice] => [
    nameOf(one),
    one,
  ])
  const all = new Map(usual)
  for (const name of fields) if (!all.has(name)) all.set(name, name)
  return { all, usual: usual.map(([name]) => name) }
}
