import { Problem } from '#crud'
import type { AdminSite } from '../../admin_site.js'

/**
 * The response to a program whose user has to set up a second factor first. [U10]
 */
export function factorProblem(site: Pick<AdminSite, 'text' | 'url'>): Problem {
  const message = site.text('factors.required', { path: site.url('/account/factors/totp') })
  return new Problem(403, message, {
    refusal: 'factor_required',
    errors: [{ field: 'account', rule: 'second_factor_missing', message }],
  })
}
