import type { AdminSite } from '../../admin_site.js'
import type { Flash } from '../../http/flash.js'
import type { ModelView } from '../../model_view.js'
import { ONESELF, type Editor } from './other_editors.js'

/**
 * The message of a saved form, with the changes of others that it kept: a sentence for each person. [R15]
 *
 * @param names    API names of the fields
 * @param editors  by API name, as far as they are known
 */
export function withKeptNotes(
  site: AdminSite,
  view: ModelView,
  message: Flash,
  names: readonly string[],
  editors: ReadonlyMap<string, Editor>
): Flash {
  const byEditor = Map.groupBy(names, (name) => editors.get(name))
  const notes = [...byEditor].map(([editor, theirs]) => {
    const fields = theirs.map((name) => view.labelOf(name)).join(', ')
    const data = { fields, count: theirs.length }
    if (editor === undefined) return site.text('conflict.keptOfSomebody', data)
    if (editor === ONESELF) return site.text('conflict.keptOfYours', data)
    return site.text('conflict.keptOf', { ...data, name: editor })
  })
  const text = notes.map((note) => ` ${note}`).join('')
  if (text === '') return message
  const { record } = message
  return {
    ...message,
    text: message.text + text,
    record: record && { ...record, parts: [...record.parts, { text, isolated: false }] },
  }
}
