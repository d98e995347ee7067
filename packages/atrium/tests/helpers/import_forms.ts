/* Imports as a browser makes them: the file, its columns, the run. */
import db from '@adonisjs/lucid/services/db'
import { sendForm } from '#tests/helpers/admin'
import { urlOf } from '#tests/helpers/http'

export async function emptyImportTables(): Promise<void> {
  await db.from('admin_imports').delete()
}

/** Sends the form of the first step. */
export async function upload(
  model: string,
  file: { name: string; content: string | Uint8Array<ArrayBuffer> } | null,
  headers: Record<string, string>
) {
  const body = new FormData()
  if (file) body.append('file', new File([file.content], file.name))
  const response = await fetch(urlOf(`/admin/${model}/import`), {
    method: 'POST',
    body,
    headers,
    redirect: 'manual',
  })
  return {
    status: response.status,
    location: response.headers.get('location'),
    text: await response.text(),
  }
}

/**
 * Uploads a file that is accepted.
 *
 * @returns URL of the import
 */
export async function beginImport(
  model: string,
  content: string,
  cookie: string,
  name = 'file.csv'
): Promise<string> {
  const { location, status, text } = await upload(model, { name, content }, { cookie })
  if (status !== 303) throw new Error(`The file was not taken: ${status} ${text}`)
  return location!
}

/** Sends the form of the second step. */
export async function chooseColumns(
  url: string,
  columns: readonly string[],
  cookie: string,
  more: Record<string, string> = {}
) {
  const fields = columns.map((name, index): [string, string] => [`column.${index}`, name])
  return await sendForm(`${url}/columns`, { ...Object.fromEntries(fields), ...more }, { cookie })
}
