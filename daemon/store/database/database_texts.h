/* The statements of the database: STATEMENT(name, text). Whoever includes this file defines STATEMENT before. */
STATEMENT(BEGIN, "BEGIN IMMEDIATE")
STATEMENT(COMMIT, "COMMIT")
STATEMENT(ROLLBACK, "ROLLBACK")
STATEMENT(PUT_FINDING,
	  "INSERT INTO finding(id, body) VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET body = excluded.body")
STATEMENT(REMOVE_FINDING, "DELETE FROM finding WHERE id = ?1")
STATEMENT(FINDINGS, "SELECT id, body FROM finding ORDER BY"
		    " CASE WHEN json_valid(body) THEN json_extract(body, '$.firstSeenUsec') END")
STATEMENT(PUT_SEEN, "INSERT OR REPLACE INTO seen(cluster, usec) VALUES(?1, ?2)")
STATEMENT(SEEN, "SELECT cluster, usec FROM seen")
STATEMENT(ADD_TO_OUTBOX, "INSERT INTO outbox(record, about, deferred, due_usec, hold_usec) VALUES(?1, ?2, ?3, ?4, ?5)")
STATEMENT(PUT_BACK, "INSERT OR IGNORE INTO outbox(seq, record, about, deferred, due_usec) VALUES(?1, ?2, '', 0, 0)")
STATEMENT(MARK_SENT, "INSERT OR REPLACE INTO sent(seq, usec) VALUES(?1, ?2)")
STATEMENT(REMOVE_FROM_OUTBOX, "DELETE FROM outbox WHERE seq = ?1")
STATEMENT(REMOVE_MARK, "DELETE FROM sent WHERE seq = ?1")
STATEMENT(NOTE_WRITTEN, "INSERT OR REPLACE INTO written(seq, usec, wall) SELECT seq, usec, ?3 FROM sent WHERE usec < ?1"
			" ORDER BY seq LIMIT ?2")
STATEMENT(FORGET_SENT, "DELETE FROM outbox WHERE seq IN (SELECT seq FROM sent WHERE usec < ?1 ORDER BY seq LIMIT ?2)")
STATEMENT(FORGET_MARKS, "DELETE FROM sent WHERE seq IN (SELECT seq FROM sent WHERE usec < ?1 ORDER BY seq LIMIT ?2)")
STATEMENT(FORGET_WRITTEN,
	  "DELETE FROM outbox WHERE seq IN (SELECT seq FROM written WHERE " TOO_OLD " ORDER BY seq LIMIT ?2)")
STATEMENT(FORGET_WRITTEN_MARKS,
	  "DELETE FROM written WHERE seq IN (SELECT seq FROM written WHERE " TOO_OLD " ORDER BY seq LIMIT ?2)")
STATEMENT(FORGET_LOST, "DELETE FROM lost WHERE seq < (SELECT seq FROM sqlite_sequence WHERE name = 'outbox')"
		       " AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.seq <= lost.seq + 1)")
STATEMENT(REMOVE_WRITTEN, "DELETE FROM written WHERE seq = ?1")
STATEMENT(BOOT, "SELECT id FROM boot")
STATEMENT(HISTORY_LINE, "SELECT seq FROM history WHERE finding = ?1 AND record = ?2 LIMIT 1")
STATEMENT(FINDING_LINE, "SELECT seq FROM finding WHERE id = ?1")
STATEMENT(HISTORY_END, "SELECT 1 FROM history WHERE finding = ?1 AND event IN ('end', 'expired') LIMIT 1")
STATEMENT(OUTBOX, "SELECT o.seq, s.usec, deferred, due_usec, hold_usec, record, w.wall FROM outbox o"
		  " LEFT JOIN sent s ON s.seq = o.seq LEFT JOIN written w ON w.seq = o.seq ORDER BY o.seq")
STATEMENT(COUNT_DEFERRED, "SELECT count(*) FROM outbox WHERE deferred AND due_usec <= ?1")
STATEMENT(COUNT_NOT_DUE, "SELECT count(*) FROM outbox WHERE deferred AND due_usec > ?1")
STATEMENT(DEFERRED_URGENT, "SELECT seq, NULL, deferred, due_usec, hold_usec, record, NULL FROM outbox WHERE deferred = "
			   "2 AND due_usec <= ?2"
			   " ORDER BY seq LIMIT ?1")
STATEMENT(DEFERRED,
	  "SELECT seq, NULL, deferred, due_usec, hold_usec, record, NULL FROM outbox WHERE deferred AND deferred = 1"
	  " AND due_usec <= ?2 ORDER BY seq LIMIT ?1")
STATEMENT(HURRY, "UPDATE outbox SET deferred = 2 WHERE deferred AND about = ?1")
STATEMENT(DEFERRED_OF,
	  "SELECT seq, NULL, deferred, due_usec, hold_usec, record, NULL FROM outbox WHERE deferred AND about = ?1"
	  " ORDER BY seq")
STATEMENT(RELEASE, "UPDATE outbox SET deferred = 0 WHERE seq = ?1")
STATEMENT(SHIFT_NOT_DUE, "UPDATE outbox SET due_usec = due_usec + ?1 WHERE deferred AND due_usec > ?2")
STATEMENT(CAP_NOT_DUE, "UPDATE outbox SET due_usec = ?1 + hold_usec WHERE deferred AND due_usec > ?1 + hold_usec")
STATEMENT(ADD_HISTORY,
	  "INSERT INTO history(usec, finding, record, event, severity, cluster, kind, namespace, name, message, type,"
	  " resource, reference, manager, cause, reason, lasted_usec)"
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)")
STATEMENT(PUT_UNWATCHED, "INSERT INTO unwatched(cluster, from_usec, to_usec) VALUES(?1, ?2, ?3)"
			 " ON CONFLICT(cluster, from_usec) DO UPDATE SET to_usec = max(to_usec, excluded.to_usec)")
STATEMENT(PRUNE_UNWATCHED, "DELETE FROM unwatched WHERE to_usec < ?1")
STATEMENT(PRUNE_BY_TIME, "DELETE FROM history WHERE usec < ?1")
STATEMENT(PRUNE_BY_SIZE, "DELETE FROM history WHERE seq <= (SELECT min(seq) + (max(seq) - min(seq)) / 10 FROM history)")
STATEMENT(HISTORY_OF,
	  "SELECT usec, event, severity, message, record FROM history WHERE finding = ?1 ORDER BY seq DESC LIMIT ?2")
STATEMENT(PUT_LAST_RECORD, "INSERT OR REPLACE INTO told(seq, record) SELECT seq, ?2 FROM finding WHERE id = ?1")
STATEMENT(REMOVE_LAST_RECORD, "DELETE FROM told WHERE seq = (SELECT seq FROM finding WHERE id = ?1)")
STATEMENT(LAST_RECORD, "SELECT record FROM told WHERE seq = (SELECT seq FROM finding WHERE id = ?1)")
STATEMENT(PRUNE_LAST_RECORDS, "DELETE FROM told WHERE seq NOT IN (SELECT seq FROM finding)")
STATEMENT(PUT_DICTIONARY, "INSERT INTO dictionary(id, usec, sum, bytes) VALUES(?1, ?2, ?3, ?4)")
STATEMENT(PUT_DICTIONARY_AGAIN, "INSERT INTO dictionary_again(id, usec, sum, bytes) VALUES(?1, ?2, ?3, ?4)")
STATEMENT(DICTIONARIES, "SELECT id, sum, bytes, usec FROM dictionary UNION ALL"
			" SELECT id, sum, bytes, usec FROM dictionary_again ORDER BY usec")
STATEMENT(SOME_LAST_RECORDS, "SELECT record FROM told LIMIT 100")
STATEMENT(PACK_LAST_RECORDS, "UPDATE told SET record = packed_record(record)")
STATEMENT(PUT_ACCEPTANCE, "INSERT OR REPLACE INTO acceptance(id, body) VALUES(?1, ?2)")
STATEMENT(REMOVE_ACCEPTANCE, "DELETE FROM acceptance WHERE id = ?1")
STATEMENT(CLEAR_ACCEPTANCES, "DELETE FROM acceptance")
STATEMENT(ACCEPTANCES, "SELECT id, body FROM acceptance ORDER BY id")
/* A changed rule keeps its place. A new one has none yet, even when it replaces a malformed one. */
STATEMENT(PUT_RULE, "INSERT OR REPLACE INTO inspection_rule(seq, uuid, body, created_at, updated_at) VALUES("
		    "(SELECT seq FROM inspection_rule WHERE uuid = ?1 AND ?4 IS NOT NULL), ?1, ?2, ?3, ?4)")
STATEMENT(REMOVE_RULE, "DELETE FROM inspection_rule WHERE uuid = ?1")
STATEMENT(CLEAR_RULES, "DELETE FROM inspection_rule")
STATEMENT(RULES, "SELECT uuid, body, created_at, updated_at FROM inspection_rule ORDER BY seq")
STATEMENT(PUT_INSPECTED, "INSERT OR REPLACE INTO inspected(cluster, versions) VALUES(?1, ?2)")
STATEMENT(CLEAR_INSPECTED, "DELETE FROM inspected")
STATEMENT(INSPECTED, "SELECT cluster, versions FROM inspected")
/* database_move_in.c */
STATEMENT(MOVE_PLACE, "INSERT OR IGNORE INTO move_place(key, id) VALUES(?1, ?2)")
STATEMENT(MOVE_PLACE_ID, "SELECT id FROM move_place WHERE key = ?1")
STATEMENT(MOVE_PROCESS, "INSERT OR IGNORE INTO move_process(finding, file, key) VALUES(?1, ?2, ?3)")
STATEMENT(MOVE_PROCESS_OF, "SELECT key FROM move_process WHERE finding = ?1 AND file = ?2")
STATEMENT(MOVE_FINDING,
	  "INSERT INTO move_finding(id, key, usec, body, told) VALUES(?1, ?2, ?3, ?4, ?5)"
	  " ON CONFLICT(id) DO UPDATE SET usec = excluded.usec, body = excluded.body, told = excluded.told"
	  " WHERE excluded.usec > usec AND excluded.key = key")
STATEMENT(MOVE_FINDING_KEY, "SELECT key = ?2 FROM move_finding WHERE id = ?1")
STATEMENT(MOVE_OPEN, "INSERT OR IGNORE INTO finding(id, body) VALUES(?1, ?2)")
STATEMENT(MOVE_TWIN, "INSERT OR IGNORE INTO move_twin(id, about, record) VALUES(?1, ?2, ?3)")
STATEMENT(MOVE_RECORD, "INSERT OR IGNORE INTO move_record(id, about, deferred, due_usec, hold_usec, sent_usec, record)"
		       " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
STATEMENT(MOVE_WAITS, "INSERT OR IGNORE INTO move_waits(file, record, own) VALUES(?1, ?2, ?3)")
STATEMENT(MOVE_WAITS_OF, "SELECT own + 1 FROM move_waits WHERE file = ?1 AND record = ?2")
STATEMENT(MOVE_NOTE_LAST_RECORD, "INSERT OR IGNORE INTO move_told(record) VALUES(?1)")
STATEMENT(MOVE_NOTE_OVER, "INSERT OR IGNORE INTO move_over(finding) VALUES(?1)")
STATEMENT(MOVE_LINE,
	  "INSERT OR IGNORE INTO move_line(usec, finding, record, event, severity, cluster, kind, namespace, name,"
	  " message, type, resource, reference, manager, cause, reason, lasted_usec)"
	  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)")
STATEMENT(MOVE_SEEN, "INSERT INTO seen(cluster, usec) VALUES(?1, ?2)"
		     " ON CONFLICT(cluster) DO UPDATE SET usec = min(usec, excluded.usec)")
STATEMENT(MOVE_ACCEPTANCE, "INSERT OR IGNORE INTO acceptance(id, body) VALUES(?1, ?2)")
STATEMENT(MOVE_RULE, "INSERT OR IGNORE INTO inspection_rule(uuid, body, created_at, updated_at) VALUES(?1, ?2, ?3, ?4)")
STATEMENT(MOVE_INSPECTED, "INSERT OR IGNORE INTO move_inspected(cluster, line) VALUES(?1, ?2)")
STATEMENT(CLEAR_OUTBOX, "DELETE FROM outbox WHERE about <> ''")
STATEMENT(CLEAR_MARKS, "DELETE FROM sent WHERE seq NOT IN (SELECT seq FROM outbox)")
STATEMENT(CLEAR_WRITTEN, "DELETE FROM written WHERE seq NOT IN (SELECT seq FROM outbox)")
