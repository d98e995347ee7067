import type { HttpContext } from '@adonisjs/core/http'
import { withoutBigInts } from '#base/values/json'
import { formFields } from '../../forms/fields/form_fields.js'
import type { FormField } from '../../forms/fields/form_field.js'
import { fieldViews } from '../../forms/fields/field_view.js'
import { sheetsOf } from '../../forms/fields/widgets/widget_cells.js'
import { layoutOf } from '../../forms/layout/form_layout.js'
import { failureOf } from '../../forms/submission/form_failure.js'
import { submissionOf } from '../../forms/submission/submission.js'
import { InvalidForm } from '../../forms/errors.js'
import type { AdminSite } from '../../admin_site.js'
import { sentTexts } from '../../http/form_texts.js'
import type { ImportMapping } from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { importerOf, knownFields } from '../import_fields.js'
import { isFixable } from '../import_spec.js'

/** Prefix of the names of the form's fields */
const PREFIX = 'value.'

type Values = NonNullable<ImportMapping['values']>

/** Returns the fields whose value can be the same in every row, with the widgets of the form. */
async function fixableFields(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<FormField[]> {
  const known = await knownFields(site, await importerOf(ctx, view))
  const names = new Set(known.filter(isFixable).map(({ name }) => name))
  return formFields(site, view, view.may('create') ? 'create' : 'update')
    .filter(({ name, secret, valueType }) => names.has(name) && !secret && valueType !== 'file')
    .map((field) => ({
      ...field,
      required: false,
      condition: undefined,
      /*
       * An unchecked checkbox would submit `false`, so a select with an empty choice is used instead.
       */
      ...(field.widget === 'checkbox' && { widget: 'select' as const, choices: [true, false] }),
    }))
}

/** Returns the fields for the templates, in the layout of the form. */
export async function fixedValueFields(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  values: Values = {}
) {
  const fields = await fixableFields(ctx, site, view)
  const shown = Object.entries(values).map(([name, { texts }]): [string, string[]] => [
    name,
    [...texts],
  ])
  const views = await fieldViews(ctx, site, view, fields, {
    shown: Object.fromEntries(shown),
    stored: undefined,
    errors: {},
    cleared: new Set(),
    prefix: PREFIX,
  })
  return {
    count: shown.length,
    blocks: layoutOf(
      view.options.form,
      views.map((one, at) => ({ ...one, apiName: fields[at].name }))
    ),
    sheets: fields.length > 0 ? ['bulk_edit.css', ...sheetsOf(fields)] : [],
  }
}

/**
 * Reads the values of the form.
 * @returns the values, and the error message of the first text that is not a valid value of its field
 */
export async function readFixedValues(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<{ values: Values; message?: string }> {
  const fields = await fixableFields(ctx, site, view)
  const sent = [...sentTexts(ctx)].filter(([name]) => name.startsWith(PREFIX))
  const { errors, shown, values } = submissionOf(
    fields,
    new Map(sent.map(([name, texts]) => [name.slice(PREFIX.length), texts])),
    'create'
  )
  const stored = withoutBigInts(values) as Record<string, unknown>
  const { fieldErrors } = failureOf(site, fields, new InvalidForm(errors))
  const names = [...Object.keys(stored), ...Object.keys(fieldErrors)]
  return {
    values: Object.fromEntries(
      names.map((name) => [name, { value: stored[name] ?? null, texts: shown[name] ?? [] }])
    ),
    message: Object.values(fieldErrors)[0],
  }
}
