/**
 * Attributes that the application adds to users, for scopes.
 *
 * @example
 * ```ts
 * declare module 'adonis-atrium/admin' {
 *   interface AdminUserAttributes {
 *     branch_id?: number
 *   }
 * }
 * ```
 */
export interface AdminUserAttributes {}
