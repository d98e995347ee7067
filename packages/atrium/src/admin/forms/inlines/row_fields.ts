import type { AdminSite } from '../../admin_site.js'
import { isFileField } from '../files/file_columns.js'
import type { FormField } from '../fields/form_field.js'
import { formFields, readOnlyFields } from '../fields/form_fields.js'
import type { Inline } from './inline.js'
import { ID } from './sent_rows.js'

/**
 * The columns of an inline's table, and the fields in them.
 */
export interface RowFields {
  /** API names of all columns that the user sees, in their order */
  names: readonly string[]
  /** Of new rows */
  create: readonly FormField[]
  /** Of rows that exist */
  update: readonly FormField[]
  /** Fields of rows that exist, which the user may see and not change */
  readOnly: readonly FormField[]
}

const KNOWN = new WeakMap<Inline['view'], Map<string, RowFields>>()

/**
 * The resource of the inline's view must be loaded.
 */
export function rowFields(site: AdminSite, inline: Inline): RowFields {
  let known = KNOWN.get(inline.view)
  if (!known) KNOWN.set(inline.view, (known = new Map()))
  const id = JSON.stringify([inline.column.apiName, inline.sort?.apiName, inline.fields])
  let fields = known.get(id)
  if (!fields) known.set(id, (fields = makeFields(site, inline)))
  return fields
}

function makeFields(site: AdminSite, inline: Inline): RowFields {
  const { view, column, sort } = inline
  const create = formFields(site, view, 'create')
  const update = formFields(site, view, 'update')
  const readOnly = readOnlyFields(site, view, 'update')
  const isOwn = (name: string) =>
    name !== column.apiName && name !== sort?.apiName && !isFileField(view, name)
  const usual = [...update, ...readOnly, ...create]
    .filter(({ name }) => name !== ID)
    .map(({ name }) => name)
  const wanted = [...new Set(inline.fields ?? usual)].filter(isOwn)
  const shown = new Set([...usual, ...view.resource.fields.map(({ apiName }) => apiName)])
  const names = wanted.filter((name) => shown.has(name))
  const among = (fields: readonly FormField[]) =>
    names.flatMap((name) => fields.find((field) => field.name === name) ?? [])
  return { names, create: among(create), update: among(update), readOnly: among(readOnly) }
}
