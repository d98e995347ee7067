import type { HttpContext } from '@adonisjs/core/http'

/*
 * Parameters of a form's address about drafts of other forms. Each goes from the page to the address that
 * its form is sent to.
 */

/** Id of the form whose texts the page shows [R5, R10] */
export const DRAFT = '_kept'

/** Id of the form that the record is made for, and that the page leads back to [R5] */
export const FOR = '_for'

/** `Film.distributor_id`: the form is part of a dialog next to that reference [R5] */
export const IN_DIALOG = '_beside'

/** Of the login page: the browser has stored what was typed [R10] */
export const DRAFT_IN_BROWSER = 'kept'

const LONGEST = 300

/**
 * @returns null if the address does not have the parameter
 */
export function draftParameter({ request }: HttpContext, name: string): string | null {
  const text = new URLSearchParams(request.parsedUrl.query ?? '').getAll(name).at(-1)
  return text === undefined || text.length > LONGEST ? null : text
}

/**
 * Address with a parameter, in the place of the one that it may have.
 *
 * @param value  null for none
 */
export function withDraftParameter(address: string, name: string, value: string | null): string {
  const [path, query = ''] = address.split('?', 2)
  const others = query.split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`))
  if (value !== null) others.push(`${name}=${encodeURIComponent(value)}`)
  return others.length > 0 ? `${path}?${others.join('&')}` : path
}

/**
 * Address that the form of a page is sent to, with what the address of the page carries.
 */
export function withDraftParameters(ctx: HttpContext, address: string): string {
  return [DRAFT, FOR, IN_DIALOG].reduce(
    (made, name) => withDraftParameter(made, name, draftParameter(ctx, name)),
    address
  )
}

/**
 * True if the form is part of a dialog next to a reference. [R5]
 */
export function isInDialog(ctx: HttpContext): boolean {
  return draftParameter(ctx, IN_DIALOG) !== null
}
