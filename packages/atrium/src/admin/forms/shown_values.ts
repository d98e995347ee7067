import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { cellsOf, type ShownCell } from '../list/cell.js'
import { titlesOf } from '../relations/references.js'
import { visibleText } from '../text/plain_text.js'
import { prettyJson } from '../text/pretty_json.js'
import type { FormField } from './fields/form_field.js'
import { Widget } from './fields/widget.js'

/** The properties of a field that the words for its values depend on. */
type ShownField = Pick<FormField, 'column' | 'reference' | 'widget' | 'choices' | 'grouped'>

/**
 * Values of a field as in the list, except that submitted texts are not cut.
 */
export async function shownValues(
  ctx: HttpContext,
  site: AdminSite,
  { column, reference, widget, choices, grouped }: ShownField,
  values: readonly unknown[]
): Promise<ShownCell[]> {
  const titles = reference ? await titlesOf(ctx, reference, values) : undefined
  const shown = cellsOf(column!, values, {
    isGrouped: grouped,
    isChoice: !reference && choices !== undefined && column!.isText,
    text: (key, data) => site.text(key, data),
  })
  return values.map((value, index) => {
    if (value === null) return shown[index]
    const words = widget instanceof Widget ? widget.words?.(value) : undefined
    if (words !== undefined) return { kind: 'text', text: words }
    const title = titles?.get(String(value))
    if (title !== undefined) return { kind: 'text', text: title }
    if (typeof value === 'string' && shown[index].kind === 'text')
      return { kind: 'text', text: visibleText(value) }
    if (typeof value === 'object') return { kind: 'text', text: visibleText(prettyJson(value)) }
    return shown[index]
  })
}
