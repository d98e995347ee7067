import type { Column } from '#base/columns/column'
import type { AdminSite } from '../../admin_site.js'
import { formFields } from '../../forms/fields/form_fields.js'
import type { ModelView } from '../../model_view.js'

const KNOWN = new WeakMap<ModelView, Map<string, readonly string[]>>()

/**
 * The values that a column takes, if they are few and known: those of its type in the database or of a schema, and
 * true and false. The view's resource must be loaded.
 *
 * @returns undefined for a column that takes any
 */
export function chosenValues(
  site: AdminSite,
  view: ModelView,
  column: Column
): readonly string[] | undefined {
  let known = KNOWN.get(view)
  if (!known) KNOWN.set(view, (known = choicesOfForms(site, view)))
  if (column.kind === 'boolean') return ['true', 'false']
  return known.get(column.apiName) ?? column.choices ?? undefined
}

/* A form may offer fewer values than are stored, so that of create and that of update are joined. */
function choicesOfForms(site: AdminSite, view: ModelView): Map<string, readonly string[]> {
  const choices = new Map<string, Set<string>>()
  for (const mode of ['create', 'update'] as const) {
    for (const field of formFields(site, view, mode)) {
      if (!field.choices || field.multiple || field.hidden) continue
      const values = choices.get(field.name) ?? new Set<string>()
      for (const value of field.choices) values.add(String(value))
      choices.set(field.name, values)
    }
  }
  return new Map([...choices].map(([name, values]) => [name, [...values]]))
}
