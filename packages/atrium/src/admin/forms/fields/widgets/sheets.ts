import type { FormField } from '../form_field.js'
import { Widget } from '../widget.js'

/**
 * Stylesheets of the widgets of a form; a script of the same name comes with each.
 */
export function sheetsOf(fields: readonly FormField[]): string[] {
  return fields.flatMap(({ widget }) => {
    if (widget === 'image') return ['image_field.css']
    return widget instanceof Widget ? (widget.sheet ?? []) : []
  })
}
