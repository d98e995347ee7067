/**
 * Types of events. [S59, E2]
 */
export const EventType = {
  CREATE: 'CREATE',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
  IMPORT: 'IMPORT',
  VIEW: 'VIEW',
  EXPORT: 'EXPORT',
  LOGIN: 'LOGIN',
  LOGOUT: 'LOGOUT',
  FAILED_LOGIN: 'FAILED_LOGIN',
  REFUSED: 'REFUSED',
} as const

export type EventType = (typeof EventType)[keyof typeof EventType]
