import type { HttpContext } from '@adonisjs/core/http'
import { parameterIn } from '../../http/list_query.js'

/*
 * Parameters of a form page's URL that refer to drafts. The page adds them to the URL to which the form is submitted.
 */

/** Id of the draft whose texts the page shows */
export const DRAFT = '_kept'

/** Id of the draft of another form that needs the new record; that form is shown again after the creation */
export const FOR = '_for'

/** The reference, such as `Film.distributor_id`, from whose field the dialog with this form was opened */
export const IN_DIALOG = '_beside'

/** Parameter of the login page, set if the browser has stored the form's input */
export const DRAFT_IN_BROWSER = 'kept'

const LONGEST = 300

/** Returns a parameter of the URL, or null if it is absent or longer than 300 characters. */
export function draftParameter(ctx: HttpContext, name: string): string | null {
  const text = parameterIn(ctx, name)
  return text === null || text.length > LONGEST ? null : text
}

/**
 * Sets, replaces or removes a parameter of a URL.
 *
 * @param value  null to remove the parameter
 */
export function withDraftParameter(address: string, name: string, value: string | null): string {
  const [path, query = ''] = address.split('?', 2)
  const others = query.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`))
  if (value !== null) others.push(`${name}=${encodeURIComponent(value)}`)
  return others.length > 0 ? `${path}?${others.join('&')}` : path
}

/** Returns the URL that a page's form is submitted to, with the draft parameters of the page's URL. */
export function withDraftParameters(ctx: HttpContext, address: string): string {
  return [DRAFT, FOR, IN_DIALOG].reduce(
    (made, name) => withDraftParameter(made, name, draftParameter(ctx, name)),
    address
  )
}

/** Returns true if the form is shown in a dialog of a reference field. */
export function isInDialog(ctx: HttpContext): boolean {
  return draftParameter(ctx, IN_DIALOG) !== null
}
