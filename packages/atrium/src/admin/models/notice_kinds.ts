/**
 * The kinds of notices for people about their own accounts. Each has a text in the catalogue, below `notices.kinds`. [U16]
 */
export const NOTICE_KINDS = [
  'new_device',
  'password_changed',
  'password_set',
  'email_changed',
  'token_made',
  'factor_added',
  'factor_removed',
  'factors_reset',
  'recovery_codes_made',
  'recovery_code_used',
  'second_step_failed',
  'sso_linked',
  'sso_unlinked',
  'passkey_cloned',
] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/**
 * The data of a notice in addition to its kind. Never a secret: it is shown, stored and mailed.
 */
export interface NoticeData {
  /** Browser and system, as in `Firefox on Linux` */
  device?: string | null
  /** Network address */
  address?: string | null
  /** Of the token, factor or passkey */
  name?: string
  /** User name of who did it, if that was another user */
  by?: string
}
