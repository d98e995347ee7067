import type { HttpContext } from '@adonisjs/core/http'
import { groupedNumber } from '#base/values/numbers'
import type { Site } from '../../views/site.js'
import type { WithJobs } from '../../jobs/jobs.js'
import { inWords, shownValue } from '../../event_log/comparison.js'
import type AdminImport from '../../models/admin_import.js'
import type { ImportError, ImportPreview, DryRun } from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence, plainText } from '../../text/plain_text.js'
import { writesInParts } from '../../jobs/part_size.js'
import { formFields } from '../../forms/fields/form_fields.js'
import { optionsOf } from '../../forms/fields/field_view.js'
import { sentTexts } from '../../http/form_texts.js'
import { followed, referencesOf, titlesIfReadable } from '../../relations/references.js'
import {
  correctedCells,
  correctionName,
  CORRECTION_LENGTH_MAX,
  type CorrectableCell,
} from '../corrections.js'
import { isOwner } from '../import_access.js'
import { importUrl, shownSteps } from './import_links.js'

const COUNTS = ['new', 'changed', 'unchanged', 'faulty'] as const

/**
 * Renders the page of a dry run: the effects of the run, and the errors of rows, whose cells the owner can correct.
 *
 * @param error  reason why the run did not start
 */
export async function renderDryRun(
  ctx: HttpContext,
  site: Site & WithJobs,
  view: ModelView,
  { one, error }: { one: AdminImport; error?: string }
): Promise<string> {
  const dryRun = one.dryRun!
  const url = importUrl(view, one)
  const titles = await titlesInPreview(ctx, site, view, dryRun.preview)
  const controlOf = isOwner(ctx, one) ? controls(ctx, site, view, one) : () => null
  const errors = dryRun.faults.map((found, index) => shownError(view, found, index, controlOf))
  const corrected = correctedCells(one).map((cell) => ({
    line: groupedNumber(cell.line),
    label: view.labelOf(one.mapping.columns[cell.column]!),
    cell: plainText(cell.text, LONGEST_CELL),
    control: controlOf(cell),
  }))
  const isCorrectable = [...errors, ...corrected].some(({ control }) => control !== null)
  return await site.render(ctx, 'pages/import_trial', {
    view,
    title: site.text('import.title', { plural: inSentence(view.label) }),
    steps: shownSteps(site, view, one, 'trial'),
    error,
    file: plainText(one.fileName),
    counts: COUNTS.map((name) => ({
      name,
      label: site.text(`import.trial.counts.${name}`),
      count: groupedNumber(dryRun[name]),
      isSome: dryRun[name] > 0,
    })),
    invalid: dryRun.faulty,
    run: runWords(site, dryRun, { isCorrectable, isInParts: writesInParts(site, view.name) }),
    reading: readingWords(site, view, one),
    notes: dryRun.notes.map((note) => site.text(`import.notes.${note}`)),
    errors,
    corrected,
    hasCorrections: one.shape.corrections !== undefined,
    isCorrectable,
    more: moreErrors(site, dryRun),
    preview: dryRun.preview.map((row) => shownRow(site, view, row, titles)),
    links: {
      corrections: `${url}/corrections`,
      run: `${url}/run`,
      invalidRows: `${url}/faulty`,
      columns: importUrl(view, one, 'columns'),
      file: importUrl(view, one, 'file'),
      discard: `${url}/discard`,
      list: view.url('/'),
    },
  })
}

/* Maximum length of the text of a cell that can't be corrected */
const LONGEST_CELL = 60

/* Length above which a text has an input of several lines */
const LONG_LINE = 100

/** Returns a function that makes the control of a cell, with the text that was sent if the form is shown again. */
function controls(ctx: HttpContext, site: Site, view: ModelView, { mapping }: AdminImport) {
  const fields = [...formFields(site, view, 'create'), ...formFields(site, view, 'update')]
  const sent = sentTexts(ctx)
  return (cell: CorrectableCell, errorId?: string) => {
    const name = correctionName(cell)
    const value = sent.get(name)?.at(0) ?? cell.text
    const field = fields.find((one) => one.name === mapping.columns[cell.column])
    const label = field?.label ?? mapping.columns[cell.column]
    const choices = field?.valueType === 'boolean' ? [true, false] : field?.choices
    const isLong = value.includes('\n') || value.length > LONG_LINE
    const attributes = {
      'aria-label': site.text('import.trial.cell', { label, line: cell.line }),
      ...(errorId && { 'aria-invalid': 'true', 'aria-describedby': errorId }),
    }
    const common = { id: name, name, value, attributes }
    if (field && choices && !field.multiple) {
      const options = optionsOf(site, { ...field, choices }, [value])
      return { ...common, control: 'select', choices: options, emptyChoice: site.text('form.none') }
    }
    Object.assign(attributes, { maxlength: CORRECTION_LENGTH_MAX, autocomplete: 'off' })
    return { ...common, control: isLong ? 'textarea' : 'input', type: 'text' }
  }
}

function shownError(
  view: ModelView,
  { cell, column, field, line, message, title }: ImportError,
  index: number,
  controlOf: (cell: CorrectableCell, errorId: string) => object | null
) {
  const id = `import-error-${index}`
  return {
    id,
    line: groupedNumber(line),
    title: title ? plainText(title, LONGEST_CELL) : null,
    label: field === null ? null : view.labelOf(field),
    message: plainText(message, 400),
    cell: cell === undefined ? null : plainText(cell, LONGEST_CELL),
    control: column === undefined ? null : controlOf({ line, column, text: cell! }, id),
  }
}

/**
 * Returns advice before the run, and the label of the button; no label if there is nothing to import.
 */
function runWords(
  site: Site,
  { changed, faulty: invalid, new: added }: DryRun,
  { isCorrectable, isInParts }: { isCorrectable: boolean; isInParts: boolean }
) {
  const count = added + changed
  if (count === 0) {
    return { text: site.text(`import.trial.run.${invalid > 0 ? 'onlyInvalid' : 'none'}`) }
  }
  if (invalid === 0) {
    const submit = site.text('import.trial.run.submit', { count })
    return { text: site.text(`import.trial.run.${isInParts ? 'cleanInParts' : 'clean'}`), submit }
  }
  return {
    text: site.text(`import.trial.run.${isCorrectable ? 'someCorrectable' : 'someInvalid'}`, {
      count: invalid,
    }),
    submit: site.text('import.trial.run.submitSome', { count, invalid }),
  }
}

/** Describes how dates and times of the file are read. */
function readingWords(
  site: Site,
  view: ModelView,
  { mapping, options, dryRun }: Pick<AdminImport, 'mapping' | 'options' | 'dryRun'>
): string[] {
  const orders = (dryRun?.dates ?? []).map(
    ({ example, field, isAmbiguous, order, toldBy = 'example' }) => {
      const data = {
        field: view.labelOf(field),
        order,
        text: plainText(example!.text, 40).text,
        line: groupedNumber(example!.line),
      }
      const text = order ? toldBy : isAmbiguous ? 'ambiguous' : 'mixed'
      return site.text(`import.trial.dates.${text}`, data)
    }
  )
  const kinds = mapping.columns.map((name) => view.resource.columns.find(name ?? '')?.kind)
  const zone = site.text('import.trial.zone', { zone: options.zone })
  return kinds.includes('datetime') ? [...orders, zone] : orders
}

function moreErrors(site: Site, { faults: errors, faulty: invalid }: DryRun): string | null {
  const rows = new Set(errors.map(({ line }) => line)).size
  return invalid > rows
    ? site.text('import.trial.moreInvalidRows', { count: invalid - rows })
    : null
}

type Titles = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Returns the titles of the records that the preview refers to, by field and value. */
async function titlesInPreview(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  rows: readonly ImportPreview[]
): Promise<Titles> {
  const titles = new Map<string, ReadonlyMap<string, string>>()
  for (const reference of referencesOf(site, view)) {
    const { apiName } = reference.column
    const changes = rows.flatMap((row) => row.changes.filter(({ field }) => field === apiName))
    const values = changes.flatMap(({ before, after }) => [before, after])
    const seen = values.length > 0 && (await followed(ctx, reference))
    if (seen) titles.set(apiName, await titlesIfReadable(ctx, view, reference, values))
  }
  return titles
}

function shownRow(
  site: Site,
  view: ModelView,
  { line, kind, title, changes }: ImportPreview,
  titles: Titles
) {
  const shown = (field: string, value: unknown) =>
    shownValue(site, inWords(site, view, field, value), titles.get(field)?.get(String(value)))
  return {
    line: site.text('import.trial.line', { line: groupedNumber(line) }),
    kind: site.text(`import.trial.kinds.${kind}`),
    isNew: kind === 'new',
    title: title === null ? null : plainText(title),
    changes: changes.map(({ field, before, after }) => ({
      label: view.labelOf(field),
      before: shown(field, before),
      after: shown(field, after),
    })),
  }
}
