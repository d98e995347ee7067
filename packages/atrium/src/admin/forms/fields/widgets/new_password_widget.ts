import type { AdminSite } from '../../../admin_site.js'
import { strengthData } from '../../../authentication/passwords/strength_data.js'
import { Widget, type WidgetName } from '../widget.js'

/**
 * A new password of a user of the site, whose strength is said while it is typed. The typed text is never shown
 * again. [U13]
 */
abstract class NewPasswordWidget extends Widget {
  readonly template = 'admin/partials/fields/new_password'
  readonly sheet = 'password_field.css'
}

/**
 * The widget, with the texts of the site.
 */
export function newPasswordWidget(site: Pick<AdminSite, 'text'>) {
  return class extends NewPasswordWidget {
    async data() {
      return strengthData(site)
    }
  }
}

/**
 * Returns true for widgets whose texts are passwords.
 */
export function isPassword(widget: WidgetName | Widget): boolean {
  return widget === 'password' || widget instanceof NewPasswordWidget
}
