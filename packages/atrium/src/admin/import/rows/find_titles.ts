import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { isStorableText } from '#base/values/text'
import { keyOf } from '#base/items'
import { ListRequest } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import type { Reference } from '../../relations/references.js'
import { plainText } from '../../text/plain_text.js'
import type { ImportSpec, MappedColumn } from '../import_spec.js'
import { addFault, type Draft } from './draft.js'

/* Databases limit the values of a list. */
const TITLES_AT_ONCE = 200

/* Of two records with one title it is known that they are two. */
const MOST_FOUND = 10_000

/**
 * Puts the key of the record in the place of each title, among the records that the importer may see. A title that
 * none has, or several, is an error. [D3]
 */
export async function findTitles(
  site: AdminSite,
  { columns, importer }: ImportSpec,
  drafts: readonly Draft[],
  client: QueryClientContract
): Promise<void> {
  for (const column of columns.filter(({ byTitle }) => byTitle)) {
    const { name } = column.field
    const told = drafts.filter(({ body }) => typeof body[name] === 'string')
    const found = new Map<string, unknown[]>()
    const titles = [...new Set(told.map(({ body }) => (body[name] as string).trim()))]
    for (let start = 0; start < titles.length; start += TITLES_AT_ONCE) {
      const some = titles.slice(start, start + TITLES_AT_ONCE)
      await readKeys(column.field.reference!, some, found, importer, client)
    }
    for (const draft of told) replace(site, column, draft, found)
  }
}

async function readKeys(
  { target, view }: Reference,
  titles: readonly string[],
  found: Map<string, unknown[]>,
  { actor, origin, view: own }: ImportSpec['importer'],
  client: QueryClientContract
): Promise<void> {
  const title = view.titleColumn!
  const wanted = titles.filter((text) => text !== '' && isStorableText(text))
  if (wanted.length === 0) return
  const request = new ListRequest(
    [{ type: 'list', column: title, values: wanted, negate: false }],
    [],
    { shape: 'offset', offset: 0, limit: MOST_FOUND },
    'exclude',
    { count: false }
  )
  const isTogether = view.client().connectionName === own.client().connectionName
  const options = { client: isTogether ? client : view.client(), actor, origin, keys: true }
  const { data } = await view.crud.getMulti(request, options)
  const position = view.resource.key.columns.indexOf(target)
  for (const item of data) {
    const text = String(item[title.apiName]).trim()
    const key = position < 0 ? item[target.apiName] : keyOf(item)![position]
    const others = found.get(text) ?? []
    found.set(text, [...others, key])
  }
}

function replace(
  site: AdminSite,
  { field }: MappedColumn,
  draft: Draft,
  found: ReadonlyMap<string, unknown[]>
): void {
  const title = (draft.body[field.name] as string).trim()
  const keys = found.get(title) ?? []
  if (title === '' || keys.length === 1) {
    draft.body[field.name] = title === '' ? null : keys[0]
    return
  }
  const { text } = plainText(title, 100)
  const data = { title: text, one: field.refersTo, count: keys.length }
  const key = keys.length === 0 ? 'import.faults.noTitle' : 'import.faults.severalTitles'
  addFault(draft, field.name, site.text(key, data))
}
