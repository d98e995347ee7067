/**
 * Why somebody who came from the provider was not let in: `away`: it could not be reached; `failed`: its answer is
 * not to be trusted; `cancelled`: it refused, or the person did; `factor`: without the methods that `amr` names;
 * `unknown`: linked with no user; `role`: no value of the claim is mapped; `linked`: with
 * another user; `again`: the way back is used or not this session's; `throttled`: too many failures of the address.
 */
export type SsoRefusal =
  'away' | 'failed' | 'cancelled' | 'factor' | 'unknown' | 'role' | 'linked' | 'again' | 'throttled'

/**
 * Somebody who came from the provider is not let in. Its message is for the application's log; it holds nothing
 * that the provider sent. [U15]
 */
export class SsoRefused extends Error {
  constructor(
    readonly refusal: SsoRefusal,
    message: string = refusal,
    /** User name as the provider has it, if its signature was good */
    readonly typedName = ''
  ) {
    super(message)
  }
}
