import { Problem } from '#crud'
import type { Site } from '../views/site.js'

/** Returns the response for an API client whose user has to set up a second factor first. */
export function factorProblem(site: Pick<Site, 'text' | 'url'>): Problem {
  const message = site.text('factors.required', { path: site.url('/account/factors/totp') })
  return new Problem(403, message, {
    refusal: 'factor_required',
    errors: [{ field: 'account', rule: 'second_factor_missing', message }],
  })
}

/**
 * Returns the response for an API client whose user has to authenticate again.
 *
 * @param page  page that a script of the site redirects the user to
 */
export function proofProblem(site: Pick<Site, 'text' | 'url'>, page?: string): Problem {
  const message = site.text('reauthentication.program', { path: site.url('/reauthenticate') })
  return new Problem(403, message, {
    refusal: 'proof_required',
    errors: [{ field: 'password', rule: 'reauthentication_required', message }],
    headers: page === undefined ? {} : { 'hx-redirect': page },
  })
}
