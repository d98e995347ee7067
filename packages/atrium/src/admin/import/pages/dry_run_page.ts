import type { HttpContext } from '@adonisjs/core/http'
import { groupedNumber } from '#base/values/numbers'
import type { AdminSite } from '../../admin_site.js'
import { inWords, shownValue } from '../../event_log/comparison.js'
import type AdminImport from '../../models/admin_import.js'
import type { ImportPreview, DryRun } from '../../models/admin_import.js'
import type { ModelView } from '../../views/model_view.js'
import { inSentence, plainText } from '../../text/plain_text.js'
import { writesInParts } from '../../jobs/part_size.js'
import { followed, referencesOf, titlesIfReadable } from '../../relations/references.js'
import { importUrl, shownSteps } from './import_links.js'

const COUNTS = ['new', 'changed', 'unchanged', 'faulty'] as const

/**
 * Renders the page of a dry run: the effects of the run, and the errors of rows.
 *
 * @param error  reason why the run did not start
 */
export async function renderDryRun(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  { one, error }: { one: AdminImport; error?: string }
): Promise<string> {
  const dryRun = one.trial!
  const url = importUrl(view, one)
  const titles = await titlesInPreview(ctx, site, view, dryRun.preview)
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
    run: runWords(site, dryRun, writesInParts(site, view.name)),
    reading: readingWords(site, view, one),
    notes: dryRun.notes.map((note) => site.text(`import.notes.${note}`)),
    errors: dryRun.faults.map(({ line, field, message, cell }) => ({
      line: groupedNumber(line),
      label: field === null ? null : view.labelOf(field),
      message: plainText(message, 400),
      cell: cell === undefined ? null : plainText(cell, 60),
    })),
    more: moreErrors(site, dryRun),
    preview: dryRun.preview.map((row) => shownRow(site, view, row, titles)),
    links: {
      run: `${url}/run`,
      invalidRows: `${url}/faulty`,
      columns: importUrl(view, one, 'columns'),
      file: importUrl(view, one, 'file'),
      discard: `${url}/discard`,
      list: view.url('/'),
    },
  })
}

/**
 * Returns advice before the run, and the label of the button; no label if there is nothing to import.
 */
function runWords(
  site: AdminSite,
  { changed, faulty: invalid, new: added }: DryRun,
  isInParts: boolean
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
    text: site.text('import.trial.run.someInvalid', { count: invalid }),
    submit: site.text('import.trial.run.submitSome', { count, invalid }),
  }
}

/** Describes how dates and times of the file are read. */
export function readingWords(
  site: AdminSite,
  view: ModelView,
  { mapping, options, trial: dryRun }: Pick<AdminImport, 'mapping' | 'options' | 'trial'>
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

function moreErrors(site: AdminSite, { faults: errors, faulty: invalid }: DryRun): string | null {
  const rows = new Set(errors.map(({ line }) => line)).size
  return invalid > rows
    ? site.text('import.trial.moreInvalidRows', { count: invalid - rows })
    : null
}

type Titles = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Returns the titles of the records that the preview refers to, by field and value. */
async function titlesInPreview(
  ctx: HttpContext,
  site: AdminSite,
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
  site: AdminSite,
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
