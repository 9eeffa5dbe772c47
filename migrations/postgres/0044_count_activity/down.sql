DELETE FROM activity_counts;
