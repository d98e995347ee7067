import AdminCreate from './admin_create.js'
import AdminDelete from './admin_delete.js'
import AdminEvents from './admin_events.js'
import AdminInvite from './admin_invite.js'
import AdminList from './admin_list.js'
import AdminMfa from './admin_mfa.js'
import AdminPassword from './admin_password.js'
import AdminRoles from './admin_roles.js'
import AdminSessions from './admin_sessions.js'
import AdminToken from './admin_token.js'
import AdminWork from './admin_work.js'
import MakeAdminCard from './make_admin_card.js'
import MakeAdminPage from './make_admin_page.js'
import CrudImport from './crud_import.js'
import CrudExport from './crud_export.js'

export const adminCommands = [
  AdminCreate,
  AdminDelete,
  AdminEvents,
  AdminInvite,
  AdminList,
  AdminMfa,
  AdminPassword,
  AdminRoles,
  AdminSessions,
  AdminToken,
  AdminWork,
  MakeAdminCard,
  MakeAdminPage,
  CrudImport,
  CrudExport,
]
