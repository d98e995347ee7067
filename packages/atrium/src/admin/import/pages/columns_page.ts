import type { HttpContext } from '@adonisjs/core/http'
import { plainText, type PlainText, inSentence } from '../../text/plain_text.js'
import type { Cell } from '../../sheets/file_shape.js'
import type { AdminSite } from '../../admin_site.js'
import type AdminImport from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { presentZone, UTC } from '../../time/time_zone.js'
import { DATE_ORDERS } from '../../sheets/date_order.js'
import type { ImportField } from '../import_fields.js'
import { Imports, type ChosenColumns } from '../imports.js'
import { choiceOf, COLUMN, shapeChoices } from './columns_form.js'
import { fixedValueFields } from './fixed_values.js'
import { importUrl, shownSteps } from './import_links.js'

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
  site: AdminSite,
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
  site: AdminSite,
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
function choicesOf(
  site: AdminSite,
  { name, label, required, isReference, hasTitles }: ImportField
) {
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
  site: AdminSite,
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
function zoneChoices({ timeZone }: AdminSite, { zone = presentZone() }: ChosenColumns) {
  const zones = new Set([presentZone(), timeZone, UTC, zone])
  return [...zones].map((value) => ({ value, label: value, selected: value === zone }))
}

function dateChoices(site: AdminSite, { dateOrder }: ChosenColumns) {
  return ['', ...DATE_ORDERS].map((value) => ({
    value,
    label: site.text(`import.columns.dates.${value || 'clear'}`),
    selected: value === (dateOrder ?? ''),
  }))
}
