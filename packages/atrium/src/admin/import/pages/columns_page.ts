import type { HttpContext } from '@adonisjs/core/http'
import { plainText, type PlainText, inSentence } from '../../text/plain_text.js'
import type { Cell } from '../../sheets/file_shape.js'
import type { ImportSite } from '../dry_run.js'
import type { Site } from '../../views/site.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { presentZone, UTC, type WithTimeZone } from '../../time/time_zone.js'
import { DATE_ORDERS } from '../../sheets/date_order.js'
import { type ImportField, importerOf, knownFields } from '../import_fields.js'
import { Imports, type ChosenColumns } from '../imports.js'
import { choiceOf, COLUMN, shapeChoices } from './columns_form.js'
import { importUrl, shownSteps } from './import_links.js'
import { withoutBigInts } from '#base/values/json'
import { formFields } from '../../forms/fields/form_fields.js'
import type { FormField } from '../../forms/fields/form_field.js'
import { fieldViews } from '../../forms/fields/field_view.js'
import { sheetsOf } from '../../forms/fields/widgets/widget_cells.js'
import { layoutOf } from '../../forms/layout/form_layout.js'
import { failureOf } from '../../forms/submission/form_failure.js'
import { submissionOf } from '../../forms/submission/submission.js'
import { InvalidForm } from '../../forms/errors.js'
import { sentTexts } from '../../http/form_texts.js'
import type { ImportMapping } from '../../models/admin_import.js'
import { isFixable } from '../import_spec.js'

/* Maximum length of a displayed value, so that several values fit in a row */
const LONGEST = 40

/** Formats a value of a file for display; null for an empty cell. */
function shownCell(cell: Cell | undefined): PlainText | null {
  if (cell === null || cell === undefined) return null
  return plainText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell), LONGEST)
}

const SAMPLES = 3

const OR = new Intl.ListFormat('en', { type: 'disjunction' })

/**
 * Renders the page that maps columns to fields.
 *
 * @param form   submitted form, if it is shown again
 * @param error  error message of the submitted form
 */
export async function renderColumns(
  ctx: HttpContext,
  site: ImportSite & WithTimeZone,
  view: ModelView,
  { one, form, error }: { one: AdminImport; form?: ChosenColumns; error?: string }
): Promise<string> {
  const fields = await Imports.of(site).fields(ctx, view)
  const chosen = form ?? formOf(one)
  const fixed = await fixedValueFields(ctx, site, view, chosen.values)
  const url = importUrl(view, one)
  return await site.render(ctx, 'pages/import_columns', {
    view,
    title: site.text('import.title', { plural: inSentence(view.label) }),
    steps: shownSteps(site, view, one, 'columns'),
    error,
    file: plainText(one.fileName),
    rows: rowsOf(site, one, fields, chosen),
    missing: missingFields(fields, chosen).map(({ label }) => label),
    required: fields.filter(({ required }) => required).map(({ name, label }) => ({ name, label })),
    keys: keyChoices(site, view, fields, chosen.key),
    keyless: keylessNames(fields, chosen),
    dates: hasKind(view, fields, ['date', 'datetime']) ? dateChoices(site, chosen) : [],
    zones: hasKind(view, fields, ['datetime']) ? zoneChoices(site, chosen) : [],
    shape: shapeChoices(site, one),
    fixed,
    links: {
      submit: `${url}/columns`,
      reread: `${url}/reread`,
      discard: `${url}/discard`,
      back: importUrl(view, one, 'file'),
    },
  })
}

/** Returns the form as last submitted, or as guessed. */
function formOf({ mapping, key, options }: AdminImport): ChosenColumns {
  return {
    columns: { ...mapping.columns },
    by: { ...mapping.by },
    values: mapping.values,
    key,
    dateOrder: options?.dateOrder ?? null,
    zone: options?.zone,
  }
}

function rowsOf(
  site: Site,
  { shape }: AdminImport,
  fields: readonly ImportField[],
  { columns, by }: ChosenColumns
) {
  return shape.columns.map((name, index) => {
    const field = columns[index] ?? null
    const chosen = field === null ? '' : choiceOf(field, by?.[index] ?? 'key')
    return {
      id: `import-column-${index}`,
      field: COLUMN + index,
      name: name.trim() === '' ? null : plainText(name),
      number: index + 1,
      samples: shape.samples.slice(0, SAMPLES).map((cells) => shownCell(cells[index])),
      isChosen: chosen !== '',
      choices: fields
        .flatMap((one) => choicesOf(site, one))
        .map((choice) => ({
          ...choice,
          selected: choice.value === chosen,
        })),
    }
  })
}

/**
 * Returns the options for a field. For a reference they include whether the column contains keys or titles.
 */
function choicesOf(site: Site, { name, label, required, isReference, hasTitles }: ImportField) {
  const star = required ? ' *' : ''
  if (!isReference) return [{ value: choiceOf(name, 'key'), label: label + star }]
  const ways = hasTitles ? (['title', 'key'] as const) : (['key'] as const)
  return ways.map((by) => ({
    value: choiceOf(name, by),
    label: site.text(`import.columns.${by}`, { label }) + star,
  }))
}

function missingFields(fields: readonly ImportField[], { columns, values = {} }: ChosenColumns) {
  const chosen = new Set([...Object.values(columns), ...Object.keys(values)])
  return fields.filter(({ name, required }) => required && !chosen.has(name))
}

/**
 * Returns the labels of the fields that could identify records; empty if a key is selected or a column has such a
 * field.
 */
function keylessNames(fields: readonly ImportField[], { columns, key }: ChosenColumns): string {
  const unique = fields.filter(({ isUniqueKey }) => isUniqueKey)
  const chosen = new Set(Object.values(columns))
  if (key || unique.some(({ name }) => chosen.has(name))) return ''
  return OR.format(unique.map(({ label }) => label))
}

/**
 * Returns the options for identifying the records to change: a unique field, or all fields of a composite key.
 */
function keyChoices(
  site: Site,
  view: ModelView,
  fields: readonly ImportField[],
  chosen: string | null
) {
  const unique = fields.filter(({ isUniqueKey }) => isUniqueKey)
  const choices = unique.map(({ name, label }) => ({ value: name, label }))
  const parts = view.resource.key.columns.map(({ apiName }) => apiName)
  const known = new Set(fields.map(({ name }) => name))
  if (parts.length > 1 && parts.every((name) => known.has(name))) {
    choices.unshift({
      value: parts.join(','),
      label: parts.map((name) => view.labelOf(name)).join(', '),
    })
  }
  if (choices.length === 0) return []
  const none = { value: '', label: site.text('import.columns.noKey') }
  return [none, ...choices].map((one) => ({ ...one, selected: one.value === (chosen ?? '') }))
}

function hasKind(
  { resource }: ModelView,
  fields: readonly ImportField[],
  kinds: ReadonlyArray<string | undefined>
): boolean {
  return fields.some(({ name }) => kinds.includes(resource.columns.find(name)?.kind))
}

/** Returns the time zones that a file is likely to use. */
function zoneChoices({ timeZone }: WithTimeZone, { zone = presentZone() }: ChosenColumns) {
  const zones = new Set([presentZone(), timeZone, UTC, zone])
  return [...zones].map((value) => ({ value, label: value, selected: value === zone }))
}

function dateChoices(site: Site, { dateOrder }: ChosenColumns) {
  return ['', ...DATE_ORDERS].map((value) => ({
    value,
    label: site.text(`import.columns.dates.${value || 'clear'}`),
    selected: value === (dateOrder ?? ''),
  }))
}

/** Prefix of the names of the form's fields */
const PREFIX = 'value.'

type Values = NonNullable<ImportMapping['values']>

/** Returns the fields whose value can be the same in every row, with the widgets of the form. */
async function fixableFields(ctx: HttpContext, site: Site, view: ModelView): Promise<FormField[]> {
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
async function fixedValueFields(
  ctx: HttpContext,
  site: Site,
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
  site: Site,
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
