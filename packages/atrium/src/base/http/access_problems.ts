/* Problems of callers who are not allowed to do something, or not yet, with their texts. */
import { listed, Problem } from '../errors.js'

/** 403 for a precondition of a caller who cannot read the item */
export const preconditionUnreadable = () =>
  new Problem(403, 'If-Match and If-None-Match are only for callers who can read the item')

/**
 * 422 for a create without fields that the caller's permissions withhold
 *
 * @param fields  fields that every new record must have, and that grants do not allow the caller to set
 */
export const neededFieldsWithheld = (fields: string[]) =>
  new Problem(
    422,
    `Your permissions do not let you set ${listed(fields)}, which a new record must have. Ask an administrator.`,
    {
      errors: fields.map((field) => ({
        field,
        rule: 'not_null',
        message: `The ${field} field is required, and your permissions do not let you set it`,
      })),
    }
  )

/** 401 with headers as in RFC 6750. If access was never configured, the detail explains how to configure it. */
export const tokenRequired = (isUndecided = false) =>
  new Problem(
    401,
    'This needs an access token: Authorization: Bearer TOKEN' +
      (isUndecided
        ? ". Where it is meant for everybody, access: 'public' in its @Crud opens it"
        : ''),
    { headers: { 'www-authenticate': 'Bearer realm="api"' }, refusal: 'token_missing' }
  )

export const tokenInvalid = () => {
  const detail = 'The access token is not known, has expired, or was revoked'
  return new Problem(401, detail, {
    refusal: 'token_invalid',
    headers: {
      'www-authenticate': `Bearer realm="api", error="invalid_token", error_description="${detail}"`,
    },
  })
}

export const abilityMissing = (ability: string) => {
  const detail = `The access token lacks the ability ${ability}`
  return new Problem(403, detail, {
    refusal: 'ability',
    headers: {
      'www-authenticate': `Bearer realm="api", error="insufficient_scope", error_description="${detail}", scope="${ability}"`,
    },
  })
}

/** 429 for too many requests */
export const tooManyRequests = (seconds: number) =>
  new Problem(429, `Too many requests; try again in ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
  })

export const requestsNotCounted = () =>
  new Problem(503, 'Requests can not be counted right now; try again', {
    headers: { 'retry-after': '1' },
  })

/** 403 for a write that another site caused */
export const crossSiteWrite = () =>
  new Problem(
    403,
    'This request came from a page of another site and was blocked; programs on other sites need an access token',
    { refusal: 'cross_site' }
  )

/** 403 for an action that is not allowed */
export const forbidden = () => new Problem(403, 'You may not do this')

/** 403 for fields that are read-only for the caller */
export const fieldsReadOnly = (fields: string[]) =>
  new Problem(403, 'You may not write all of these fields', {
    refusal: 'read_only_field',
    errors: fields.map((field) => ({
      field,
      rule: 'readonly',
      message: `The ${field} field is not for you to write`,
    })),
  })

/** 403 for a transition that the caller's roles do not include */
export const transitionRefused = (field: string, from: string, to: string) =>
  new Problem(403, `You may not change ${field} from ${from} to ${to}`, {
    refusal: 'permission',
    errors: [
      {
        field,
        rule: 'transition',
        message: `The ${field} field is not for you to change from ${from} to ${to}`,
      },
    ],
  })
