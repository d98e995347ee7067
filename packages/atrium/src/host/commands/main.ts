import Doctor from './doctor.js'
import MakeMigration from './make_migration.js'
import Migrate from './migrate.js'
import Uninstall from './uninstall.js'
import Version from './version.js'

export const hostCommands = [Doctor, MakeMigration, Migrate, Uninstall, Version]
