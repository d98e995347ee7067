import type { Site } from '../../../views/site.js'
import { Widget, type WidgetName } from '../../../views/widget.js'

const TEXTS = ['label', 'short', 'long', 'name', 'weak', 'fair', 'good', 'strong', 'show'] as const

/**
 * Returns the template data of a new password: the texts of the script, and the user name, to which the password must
 * not be similar. The server decides whether the password is accepted.
 *
 * @param username  user name, if the form has no field for it
 */
export function strengthData(site: Pick<Site, 'text'>, username?: string) {
  const texts = TEXTS.map((name) => [name, site.text(`passwords.strength.${name}`)])
  return { texts: JSON.stringify(Object.fromEntries(texts)), username }
}

/** A new password of a user, with an indicator of its strength. A submitted text is never shown again. */
abstract class NewPasswordWidget extends Widget {
  readonly template = 'admin/partials/fields/new_password'
  readonly sheet = 'password_field.css'
}

/** Returns the widget class with the texts of the site. */
export function newPasswordWidget(site: Pick<Site, 'text'>) {
  return class extends NewPasswordWidget {
    async data() {
      return strengthData(site)
    }
  }
}

/** Returns true for widgets whose texts are passwords. */
export function isPassword(widget: WidgetName | Widget): boolean {
  return widget === 'password' || widget instanceof NewPasswordWidget
}
