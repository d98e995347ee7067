/* A table sent round: exported as a person does it, emptied, and imported again. */
import db from '@adonisjs/lucid/services/db'
import { sendForm } from '#tests/helpers/admin'
import { urlOf, type HttpResponse } from '#tests/helpers/http'
import { upload } from '#tests/helpers/import_forms'
import { findJob, untilJob } from '#tests/helpers/jobs'
import type AdminJob from '#admin/models/admin_job'
import AdminImport from '#admin/models/admin_import'

const jobIn = ({ headers }: HttpResponse) =>
  Number(/\/jobs\/(\d+)$/.exec(headers.get('location')!)?.[1])

/** The file of an export with all columns; that of a job is fetched from its page. */
export async function exportedFile(
  model: string,
  query: string,
  cookie: string
): Promise<Uint8Array<ArrayBuffer>> {
  let path = `/admin/${model}/export?columns=*&${query}`
  for (;;) {
    const response = await fetch(urlOf(path), { headers: { cookie }, redirect: 'manual' })
    const location = response.headers.get('location')
    if (response.status === 200) return new Uint8Array(await response.arrayBuffer())
    if (!location) throw new Error(`${response.status} ${await response.text()}`)
    const { id, state, error } = await untilJob(Number(/\/jobs\/(\d+)$/.exec(location)?.[1]))
    if (state !== 'done') throw new Error(`The export is ${state}: ${error}`)
    path = `/admin/management/jobs/${id}/file`
  }
}

export interface Imported {
  dryRun: AdminImport['dryRun']
  /** Null if nothing was there to be done */
  job: AdminJob | null
}

/** A file goes over the pages of the import, with the guessed columns. */
export async function importedFile(
  model: string,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  cookie: string,
  choices: { key?: string; dateOrder?: string; skipInvalid?: boolean } = {}
): Promise<Imported> {
  const begun = await upload(model, { name, content }, { cookie })
  const url = begun.location
  if (begun.status !== 303 || !url) throw new Error(`${begun.status} ${wordsOf(begun.text)}`)
  const one = await findImport(url)
  const { columns, by } = one.mapping
  const fields = columns.map((field, index): [string, string] => [
    `column.${index}`,
    field === null ? '' : by[index] === 'title' ? `${field}:title` : field,
  ])
  const { key = one.key ?? '', dateOrder = '', skipInvalid = false } = choices
  const more = { key, date_order: dateOrder }
  const tried = await sendForm(
    `${url}/columns`,
    { ...Object.fromEntries(fields), ...more },
    { cookie }
  )
  if (tried.status !== 303) throw new Error(`${tried.status} ${wordsOf(tried.text)}`)
  const { jobId } = await findImport(url)
  if (jobId !== null) await untilJob(jobId)
  const { dryRun } = await findImport(url)
  if (!dryRun || dryRun.new + dryRun.changed === 0) return { dryRun, job: null }
  if (dryRun.faulty > 0 && !skipInvalid) return { dryRun, job: null }
  const run = await sendForm(`${url}/run`, skipInvalid ? { skip_faulty: '1' } : {}, { cookie })
  if (run.status !== 303) throw new Error(`${run.status} ${wordsOf(run.text)}`)
  await untilJob(jobIn(run))
  return { dryRun, job: await findJob(jobIn(run)) }
}

/** All rows as the driver has them; large integers, which some drivers round, also as texts. */
export async function tripRows() {
  const exact = db.raw('cast(big as char(30)) as big_text')
  return await db.from('trips').select('*', exact).orderBy('id')
}

async function findImport(url: string): Promise<AdminImport> {
  return await AdminImport.findOrFail(Number(/\/(\d+)$/.exec(url)![1]))
}

function wordsOf(text: string): string {
  const [, main = text] = /<main(.*)<\/main>/s.exec(text) ?? []
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 2000)
}
