import type { KeyValue } from '#base/columns/key'
import type { ModelView } from './model_view.js'

/** A button or link that runs an action on a record. */
export interface ActionButton {
  label: string
  icon: string | undefined
  url: string
  /** True if the URL is that of a page with a form or a question */
  asks: boolean
}

/**
 * Returns the actions on a record that the roles of the user allow.
 *
 * @param view  view with the permissions of the user's roles
 */
export function actionButtons(view: ModelView, key: KeyValue): ActionButton[] {
  return view.recordActions.map(({ confirm, form, icon, label, name }) => ({
    label,
    icon,
    url: view.url(`/record_action/${name}${view.resource.key.toPath(key)}`),
    asks: form !== undefined || confirm !== false,
  }))
}
