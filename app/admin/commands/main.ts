/*
 * Loader of the admin's commands, for adonisrc.ts.
 */
import { ListLoader } from '@adonisjs/core/ace'
import AdminCreate from './admin_create.js'
import AdminDelete from './admin_delete.js'
import AdminEvents from './admin_events.js'
import AdminList from './admin_list.js'
import AdminPassword from './admin_password.js'
import AdminRoles from './admin_roles.js'
import AdminSessions from './admin_sessions.js'
import AdminToken from './admin_token.js'

const loader = new ListLoader([
  AdminCreate,
  AdminDelete,
  AdminEvents,
  AdminList,
  AdminPassword,
  AdminRoles,
  AdminSessions,
  AdminToken,
])

export const getMetaData: typeof loader.getMetaData = () => loader.getMetaData()
export const getCommand: typeof loader.getCommand = (metaData) => loader.getCommand(metaData)
